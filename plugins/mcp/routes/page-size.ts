/** Owns the query parameter `page_size` of the Streamable HTTP routes. */
import type { FastifyRequest } from 'svc/plugin'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../bounds.ts'

/** Items per page: 1 to 1000. Larger values count as 1000, invalid ones as the default. */
export function pageSizeOf({ query }: FastifyRequest): number {
  const text = (query as Record<string, unknown>).page_size
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text) || Number(text) < 1) return DEFAULT_PAGE_SIZE
  return Math.min(Number(text), MAX_PAGE_SIZE)
}
