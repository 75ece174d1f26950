/** JSON in the value of a request header: as it is, in ASCII, or as base64url. */
import type { Json } from '../contract/json.ts'
import { InputProblem } from '../toolkit/input-problem.ts'
import { isTextNestedWithin } from '../toolkit/json-depth.ts'

const MAX_DEPTH = 100

/** Reads the value, of at most `maxCharacters`. Throws an `InputProblem` with `expected`. */
export function readHeaderJson(text: string, maxCharacters: number, expected: string): Json {
  const trimmed = text.trim()
  const plain = /^[A-Za-z0-9_-]+={0,2}$/.test(trimmed) ? Buffer.from(trimmed, 'base64url').toString('utf8') : trimmed
  try {
    if (plain.length <= maxCharacters && isTextNestedWithin(plain, MAX_DEPTH)) return JSON.parse(plain)
  } catch {
    // Reported below.
  }
  throw new InputProblem('', expected)
}
