/** Pages of lists: `pageSize` and `pageToken`. */
import type { Engine, RouteInput } from '../llm/types.ts'

export interface Page {
  size: number
  start: number
}

/**
 * A page size of 0 selects the usual one; larger sizes are capped. Throws for anything but a 32-bit integer. `method` is
 * the name of the request message in errors.
 */
export function readPage(
  engine: Engine,
  { query }: RouteInput,
  { method, usual, max }: { method: string; usual: number; max: number },
): Page {
  const size = query.get('pageSize') ?? query.get('page_size') ?? ''
  if (size !== '' && !isInt32(size))
    throw engine.badInput(`Invalid value at 'page_size' (TYPE_INT32), ${JSON.stringify(size.slice(0, 50))}`)
  if (Number(size) < 0) throw engine.badInput(`* ${method}.page_size: page_size must not be negative`)
  const token = query.get('pageToken') ?? query.get('page_token') ?? ''
  const start = token === '' ? 0 : engine.pageStart(token)
  if (start === null) throw engine.badInput(`* ${method}.page_token: page_token is invalid`)
  return { start, size: Math.min(Number(size) || usual, max) }
}

function isInt32(text: string): boolean {
  return /^-?\d{1,10}$/.test(text) && Number(text) === (Number(text) | 0)
}
