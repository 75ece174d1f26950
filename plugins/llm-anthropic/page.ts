/** Pages of lists: by `limit`, `after_id` and `before_id`. */
import type { Engine, RouteInput } from '../llm/types.ts'

export interface Page {
  limit: number
  afterId: string | null
  beforeId: string | null
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

export function readPage(engine: Engine, { query }: RouteInput): Page {
  return {
    limit: readLimit(engine, query.get('limit')),
    afterId: query.get('after_id'),
    beforeId: query.get('before_id'),
  }
}

export function readLimit(engine: Engine, text: string | null): number {
  const limit = /^\d{1,5}$/.test(text ?? '') ? Number(text) : text === null ? DEFAULT_LIMIT : 0
  if (limit < 1 || limit > MAX_LIMIT) throw engine.badInput(`limit: Input should be between 1 and ${MAX_LIMIT}`)
  return limit
}

/**
 * Throws if the item to continue from does not exist. Without that, a list whose old items have been removed would begin
 * again, and a client that reads all pages would never end.
 */
export function checkPage(engine: Engine, all: readonly { id: string }[], { afterId, beforeId }: Page): void {
  for (const [name, id] of [
    ['after_id', afterId],
    ['before_id', beforeId],
  ] as const)
    if (id !== null && !all.some(item => item.id === id))
      throw engine.badInput(`${name}: No item with the id ${id.slice(0, 100)} was found.`)
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
