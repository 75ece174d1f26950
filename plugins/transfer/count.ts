/** Owns reading a count in a path. */
import { parseInteger } from 'svc/plugin'
import { invalidCount } from './errors.ts'

/** A whole number of `what` (bytes, lines, links), 0 or more; throws `invalid_count`. */
export function readCount(text: string, what: string): number {
  const count = parseInteger(text)
  if (count === null) throw invalidCount(text, what)
  return count
}
