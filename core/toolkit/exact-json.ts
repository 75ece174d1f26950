/** JSON whose long integers keep their digits: templates insert the number that was sent, not the nearest double. */
import { LosslessNumber, parse, stringify } from 'lossless-json'
import { EXACT, isExact, setOwn, type Json, type JsonObject } from '../contract/json.ts'

/** Integers with fewer digits are exact as doubles. */
const LONG = /\d{16}/
const INTEGER = /^-?\d+$/

/** An integer that no double is equal to. It is typed as a number: everything but `writeJson` sees the nearest double. */
class ExactNumber extends LosslessNumber {
  readonly [EXACT] = true

  toJSON(): number {
    return Number(this.value)
  }
}

/**
 * Parses JSON; of duplicate members the last one counts. Throws a SyntaxError. The result is for `memberAt` and templates, not
 * for comparisons.
 */
export function parseExactJson(text: string): Json {
  if (!LONG.test(text)) return JSON.parse(text) as Json
  return parse(text, undefined, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue }) as Json
}

function numberOf(text: string): unknown {
  const number = Number(text)
  return LONG.test(text) && INTEGER.test(text) && BigInt(text) !== BigInt(number) ? new ExactNumber(text) : number
}

/** The text of a value, in which long integers from `parseExactJson` have their digits. */
export function writeJson(value: Json): string {
  return hasExact(value) ? stringify(value)! : JSON.stringify(value)
}

/** The value with its long integers as texts, for formats other than JSON. */
export function exactAsText(value: Json): Json {
  if (!hasExact(value)) return value
  if (isExact(value)) return String(value)
  if (Array.isArray(value)) return value.map(exactAsText)
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value as JsonObject)) setOwn(copy, name, exactAsText(member))
  return copy
}

function hasExact(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isExact(value)) return true
  return Array.isArray(value) ? value.some(hasExact) : Object.values(value).some(hasExact)
}
