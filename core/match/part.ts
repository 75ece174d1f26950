/** The parts of a match: conditions that are tested and explained together. */
import type { Json } from '../contract/json.ts'
import type { MatchSubject } from './subject.ts'
import type { ValueTest } from './value-test.ts'

/** A condition that does not hold. */
export interface Difference {
  /** Where: `method`, `path`, `header.x-tenant`, `json./model`, `grpc.method`. */
  at: string
  /** As written in the match. */
  expected: Json
  /** What the request has, cut to 200 characters; null if it is absent. */
  got: Json
}

export interface Part {
  /** Number of conditions. */
  readonly count: number
  readonly needsBody: boolean
  holds(subject: MatchSubject): boolean
  /** The conditions that do not hold. */
  differences(subject: MatchSubject): Difference[]
}

const MAX_SHOWN = 200

/** A value for an explanation: text cut to 200 characters, objects and lists as JSON text. */
export function shownValue(value: Json | undefined): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_SHOWN)
}

/** A part with one test of the values of a request, of which one must pass it. */
export function valuePart(
  at: string,
  test: ValueTest,
  { needsBody = false, values }: { needsBody?: boolean; values(subject: MatchSubject): readonly Json[] },
): Part {
  const holds = (found: readonly Json[]): boolean =>
    found.length === 0 ? test.holds(undefined) : found.some(value => test.holds(value))
  return {
    count: 1,
    needsBody,
    holds: subject => holds(values(subject)),
    differences(subject) {
      const found = values(subject)
      if (holds(found)) return []
      const got = found.length > 1 && found.every(value => typeof value === 'string') ? found.join(', ') : found[0]
      return [{ at, expected: test.expected, got: shownValue(got) }]
    },
  }
}
