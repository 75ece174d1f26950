/** Parses counts in paths. */
import { parseInteger } from 'svc/toolkit'
import { invalidCount } from './errors.ts'

/** Parses a non-negative integer; `what` names the unit (bytes, lines, links). Throws `invalid_count`. */
export function readCount(text: string, what: string): number {
  const count = parseInteger(text)
  if (count === null) throw invalidCount(text, what)
  return count
}
