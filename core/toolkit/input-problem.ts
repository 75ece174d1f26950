/** Errors in rules and conditions, with the place of the first mistake. */
import { unknownName } from './unknown-name.ts'
import { isRecord } from '../contract/record.ts'
import type { Json, JsonObject } from '../contract/json.ts'

/** The first mistake in a value: where it is, and what was expected. */
export interface Problem {
  /** Path such as `then[0].fail` or `match.header.x-tenant`. */
  at: string
  details: string
  /** How to correct it, if the message alone does not say so. */
  remedy?: string
}

/** Thrown while a value is read; `problemOf` converts it. */
export class InputProblem extends Error {
  readonly code = 'SVC_INPUT_PROBLEM'
  readonly at: string
  readonly remedy: string | undefined
  constructor(at: string, details: string, remedy?: string) {
    super(details)
    this.at = at
    this.remedy = remedy
  }
}

/** Runs `read` and returns its result, or the problem that it threw. */
export function readOrProblem<T>(read: () => T): { value: T } | { problem: Problem } {
  try {
    return { value: read() }
  } catch (error) {
    if ((error as Partial<InputProblem> | null)?.code !== 'SVC_INPUT_PROBLEM') throw error
    const { at, message, remedy } = error as InputProblem
    return { problem: { at, details: message, ...(remedy === undefined ? {} : { remedy }) } }
  }
}

/** Longest key that is repeated in a path. */
const MAX_SHOWN_KEY = 100

/** The path of a member. */
export function below(at: string, key: string | number): string {
  if (typeof key === 'number') return `${at}[${key}]`
  const shown = key.slice(0, MAX_SHOWN_KEY)
  return at === '' ? shown : `${at}.${shown}`
}

/** The value as an object; throws if it is not one. */
export function asObject(value: unknown, at: string, expected = 'expected an object'): JsonObject {
  if (!isRecord(value)) throw new InputProblem(at, expected)
  return value as JsonObject
}

/** An object with no other members than the known ones; throws if it is not one. */
export function asMembers(value: unknown, at: string, known: readonly string[]): JsonObject {
  const given = asObject(value, at, `expected an object with ${known.join(', ')}`)
  rejectUnknownKeys(given, known, at)
  return given
}

/** Throws for a key that is not known, with the nearest known one. */
export function rejectUnknownKeys(value: JsonObject, known: readonly string[], at: string): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const { message, remedy } = unknownName('key', key, known)
    throw new InputProblem(below(at, key), message, remedy)
  }
}

/** A whole number within bounds; throws if it is not one. */
export function asInteger(value: Json | undefined, at: string, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new InputProblem(at, `expected a whole number ${range}`)
}

/** True or false; throws for other values. */
export function asBoolean(value: Json | undefined, at: string): boolean {
  if (typeof value === 'boolean') return value
  throw new InputProblem(at, 'expected true or false')
}

/** A text within bounds; throws for other values. */
export function asText(value: Json | undefined, at: string, max: number, min = 0): string {
  if (typeof value === 'string' && value.length >= min && value.length <= max) return value
  throw new InputProblem(
    at,
    min === 0 ? `expected a text of at most ${max} characters` : `expected a text of ${min} to ${max} characters`,
  )
}
