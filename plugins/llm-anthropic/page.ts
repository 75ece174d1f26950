/** Pages of lists: by `limit`, `after_id` and `before_id`. */
import type { RouteInput } from '../llm/types.ts'

export interface Page {
  limit: number
  afterId: string | null
  beforeId: string | null
}

const defaultLimit = 20
const maxLimit = 1000

export function readPage({ query }: RouteInput): Page {
  const limit = Number(query.get('limit') ?? defaultLimit)
  return {
    limit: Number.isFinite(limit) ? Math.min(Math.max(1, Math.trunc(limit)), maxLimit) : defaultLimit,
    afterId: query.get('after_id'),
    beforeId: query.get('before_id'),
  }
}

/** The items of a page: those after or before an id. An unknown id returns the first page. */
export function pageOf<T extends { id: string }>(
  all: readonly T[],
  { limit, afterId, beforeId }: Page,
): { page: T[]; hasMore: boolean } {
  const before = beforeId === null ? -1 : all.findIndex(item => item.id === beforeId)
  if (before >= 0) {
    const start = Math.max(0, before - limit)
    return { page: all.slice(start, before), hasMore: start > 0 }
  }
  const start = all.findIndex(item => item.id === afterId) + 1
  return { page: all.slice(start, start + limit), hasMore: start + limit < all.length }
}
