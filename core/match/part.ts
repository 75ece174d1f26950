/** The parts of a match: conditions that are tested and explained together. */
import type { Json } from '../contract/json.ts'
import type { MatchSubject } from './subject.ts'
import type { ValueTest } from '../toolkit/value-test.ts'

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
  /** Number of conditions in explanations. */
  readonly count: number
  /** Number of tests, which is limited. */
  readonly tests: number
  readonly needsBody: boolean
  /** It is paid from the budget of the subject: throws `TooExpensive`, as `differences` does. */
  holds(subject: MatchSubject): boolean
  /** The conditions that do not hold. */
  differences(subject: MatchSubject): Difference[]
}

const MAX_SHOWN = 200
/** Steps of finding what a condition tests. */
export const PART_STEPS = 20

/** A value for an explanation: text cut to 200 characters, objects and lists as JSON text. */
export function shownValue(value: Json | undefined): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return beginningOf(value).slice(0, MAX_SHOWN)
}

/** The beginning of a text, or of the JSON text of a value. */
function beginningOf(value: Json): string {
  if (typeof value === 'string') return value
  let text = ''
  write(value)
  return text

  /** Writes no more than is shown: the value may be large. */
  function write(part: Json): void {
    if (text.length > MAX_SHOWN) return
    if (Array.isArray(part)) writeAll('[', part, ']', item => write(item))
    else if (typeof part === 'object' && part !== null)
      writeAll('{', Object.keys(part), '}', key => {
        text += `${JSON.stringify(key)}:`
        write(part[key]!)
      })
    else text += JSON.stringify(typeof part === 'string' ? part.slice(0, MAX_SHOWN) : part)
  }

  function writeAll<T>(open: string, items: readonly T[], close: string, writeItem: (item: T) => void): void {
    text += open
    for (const [index, item] of items.entries()) {
      if (text.length > MAX_SHOWN) return
      if (index > 0) text += ','
      writeItem(item)
    }
    text += close
  }
}

/** Several values as one text, such as those of a header. */
export function joined(values: readonly Json[]): string {
  let text = ''
  for (const [index, value] of values.entries()) {
    if (text.length > MAX_SHOWN) break
    text += `${index === 0 ? '' : ', '}${String(value)}`
  }
  return text
}

/** A part with one condition, which is explained as a whole. */
export function simplePart(
  at: string,
  expected: Json,
  {
    needsBody = false,
    tests = 1,
    holds,
    got = () => null,
  }: {
    needsBody?: boolean
    tests?: number
    holds(subject: MatchSubject): boolean
    got?(subject: MatchSubject): Json
  },
): Part {
  return {
    count: 1,
    tests,
    needsBody,
    holds,
    differences: subject => (holds(subject) ? [] : [{ at, expected, got: got(subject) }]),
  }
}

/** A part with one test of the values of a request, of which one must pass it. */
export function valuePart(
  at: string,
  test: ValueTest,
  { needsBody = false, values }: { needsBody?: boolean; values(subject: MatchSubject): readonly Json[] },
): Part {
  const valuesOf = (subject: MatchSubject): readonly Json[] => {
    subject.steps.take(PART_STEPS)
    return values(subject)
  }
  return {
    count: 1,
    tests: test.count,
    needsBody,
    holds: subject => test.holds(valuesOf(subject), subject.steps),
    differences(subject) {
      const found = valuesOf(subject)
      if (test.holds(found, subject.steps)) return []
      const got = found.length > 1 && found.every(value => typeof value === 'string') ? joined(found) : found[0]
      return [{ at, expected: test.expected, got: shownValue(got) }]
    },
  }
}
