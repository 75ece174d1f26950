/** Lists in parts. */
import type { Engine, RouteInput } from '../../llm/types.ts'

/** The part of a list that a query asks for, in the form of lists of OpenAI. `items` are in the order of their creation. */
export function pageOf<T extends { id: string }>(
  engine: Engine,
  items: readonly T[],
  query: RouteInput['query'],
  { limit: usual, max }: { limit: number; max: number },
): { object: 'list'; data: T[]; first_id: string | null; last_id: string | null; has_more: boolean } {
  const invalid = (param: string, expected: string): Error =>
    engine.badInput(`Invalid value for '${param}': expected ${expected}.`, { param, code: 'invalid_value' })
  const limitText = query.get('limit') ?? String(usual)
  const limit = /^\d{1,6}$/.test(limitText) ? Number(limitText) : 0
  if (limit < 1 || limit > max) throw invalid('limit', `an integer from 1 to ${max}`)
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') throw invalid('order', "'asc' or 'desc'")
  const ordered = order === 'asc' ? items : items.toReversed()
  const after = query.get('after')
  const start = after === null ? 0 : ordered.findIndex(item => item.id === after) + 1
  if (after !== null && start === 0) throw invalid('after', 'the id of an object in the list')
  const data = ordered.slice(start, start + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  }
}
