/** Reads the body of `POST /_svc/verify`. */
import { isRecord } from '../contract/record.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import type { RecordQuery } from '../contract/testing.ts'
import { readMatch, type MatchOptions } from '../match/match.ts'
import { asBoolean, asInteger, asObject, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import { isSessionName } from '../fields/session-prefix.ts'
import { isMark } from './subjects.ts'
import type { Expectation, Verification } from './verification.ts'

export interface VerificationOptions {
  match: MatchOptions
  maxWithinMs: number
}

const COUNTS = ['exactly', 'at_least', 'at_most', 'none']
const KEYS = ['match', 'order', 'strict', ...COUNTS, 'within_ms', 'settle_ms', 'since', 'session']
const MAX_COUNT = 1_000_000
const MAX_SETTLE_MS = 10_000
const SETTLE_MS = 100
const ORDER_LENGTH = { min: 2, max: 20 }
const MAX_SHOWN = 200

/** Throws an `InputProblem`. `session` is that of the request; the body may name another one. */
export function readVerification(
  body: unknown,
  session: string | undefined,
  options: VerificationOptions,
): Verification {
  const given = asObject(body, '', 'expected a JSON object')
  rejectUnknownKeys(given, KEYS, '')
  return {
    ...readMarks(given, session, options.maxWithinMs),
    wanted: given.order === undefined ? readRequests(given, options.match) : readOrder(given, options.match),
  }
}

/** A verification about records of a plugin. */
export interface RecordVerification extends Omit<Verification, 'wanted'> {
  query: RecordQuery
  expectation: Expectation
}

export interface RecordVerificationOptions {
  /** The key of the plugin. */
  name: string
  read(value: Json, at: string): RecordQuery
  maxWithinMs: number
}

/** The same about records of a plugin, which are under a key of their own. Throws an `InputProblem`. */
export function readRecordVerification(
  body: unknown,
  session: string | undefined,
  { name, read, maxWithinMs }: RecordVerificationOptions,
): RecordVerification {
  const given = asObject(body, '', 'expected a JSON object')
  rejectUnknownKeys(given, [name, ...COUNTS, 'within_ms', 'settle_ms', 'since', 'session'], '')
  return {
    ...readMarks(given, session, maxWithinMs),
    query: read(given[name]!, name),
    expectation: readExpectation(given),
  }
}

/** What a verification looks at, and how long it waits. Throws an `InputProblem`. */
export function readMarks(
  given: JsonObject,
  session: string | undefined,
  maxWithinMs: number,
): Pick<Verification, 'session' | 'since' | 'withinMs' | 'settleMs'> {
  return {
    session: given.session === undefined ? session : readSession(given.session),
    since: given.since === undefined ? null : readSince(given.since),
    withinMs: given.within_ms === undefined ? 0 : asInteger(given.within_ms, 'within_ms', 0, maxWithinMs),
    settleMs: given.settle_ms === undefined ? SETTLE_MS : asInteger(given.settle_ms, 'settle_ms', 0, MAX_SETTLE_MS),
  }
}

function readSession(value: Json): string {
  if (typeof value !== 'string' || !isSessionName(value))
    throw new InputProblem('session', 'expected the name of a session')
  return value
}

function readSince(value: Json): string {
  if (typeof value === 'string' && isMark(value)) return value
  throw new InputProblem('since', 'expected the id of an entry, or a time such as 2026-03-14T12:00:00Z')
}

function readRequests(given: JsonObject, options: MatchOptions): Verification['wanted'] {
  if (given.strict !== undefined) throw new InputProblem('strict', 'strict is possible with order only')
  return {
    match: readMatch(given.match ?? {}, 'match', options),
    expectation: readExpectation(given),
    conditions: describeMatch(given.match),
  }
}

function readOrder(given: JsonObject, options: MatchOptions): Verification['wanted'] {
  const other = ['match', ...COUNTS].find(key => given[key] !== undefined)
  if (other !== undefined) throw new InputProblem(other, `${other} and order cannot be combined`)
  const { min, max } = ORDER_LENGTH
  const { order } = given
  if (!Array.isArray(order) || order.length < min || order.length > max)
    throw new InputProblem('order', `expected a list of ${min} to ${max} matches`)
  return {
    order: order.map((match, index) => readMatch(match, `order[${index}]`, options)),
    isStrict: given.strict !== undefined && asBoolean(given.strict, 'strict'),
  }
}

/** How many are expected. Throws an `InputProblem`. */
export function readExpectation(given: JsonObject): Expectation {
  const names = COUNTS.filter(name => given[name] !== undefined)
  if (names.length > 1 && names.join() !== 'at_least,at_most')
    throw new InputProblem(names[1]!, `${names[0]} and ${names[1]} cannot be combined`)
  const read = (name: string): number | null =>
    given[name] === undefined ? null : asInteger(given[name], name, 0, MAX_COUNT)
  const exactly = read('exactly')
  if (exactly !== null) return { min: exactly, max: exactly, text: `exactly ${exactly}` }
  if (given.none !== undefined) {
    if (!asBoolean(given.none, 'none')) throw new InputProblem('none', 'expected true')
    return { min: null, max: 0, text: 'no' }
  }
  const max = read('at_most')
  const min = read('at_least') ?? (max === null ? 1 : null)
  if (min !== null && max !== null && min > max)
    throw new InputProblem('at_most', `expected at least ${min}, which is at_least`)
  const texts = [min === null ? [] : `at least ${min}`, max === null ? [] : `at most ${max}`].flat()
  return { min, max, text: texts.join(' and ') }
}

/** Conditions as text: `with method POST and path /orders`. */
function describeMatch(match: Json | undefined): string {
  if (!isRecord(match)) return ''
  const parts = Object.entries(match as JsonObject).flatMap(([key, value]) =>
    isRecord(value) && ['header', 'query', 'cookie', 'json'].includes(key)
      ? Object.entries(value as JsonObject).map(([name, test]) => `${key} ${name} ${shown(test)}`)
      : [`${key} ${shown(value)}`],
  )
  return parts.length === 0 ? '' : `with ${parts.join(' and ').slice(0, MAX_SHOWN)}`
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
