/** The step `decide` of rules about the authorization service. */
import type { Json, JsonObject, OutputBudget } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  checkReferences,
  expandText,
  expandTexts,
  expandValue,
  headerProblem,
  InputProblem,
  isRecord,
  type LookUp,
  rejectUnknownKeys,
  RULE_REFERENCES,
} from 'svc/toolkit'
import { type Decision, type HeaderLine, NO_CHANGES, settable } from './decision.ts'

const KEYS = ['allow', 'status', 'headers', 'response_headers', 'body', 'query', 'metadata']
/** What only a denial has. */
const OF_DENIAL = ['status', 'body'] as const
const MAX_LINES = 100
const MAX_VALUE = 8192
const MAX_NAME = 200

/** Reads the value of the step. Throws an `InputProblem`. The result is a decision whose texts have references. */
export function readDecide(value: Json, at: string): Decision {
  const given = asObject(value, at, 'expected an object with allow')
  rejectUnknownKeys(given, KEYS, at)
  const isAllowed = asBoolean(given.allow, below(at, 'allow'))
  if (isAllowed)
    for (const key of OF_DENIAL)
      if (given[key] !== undefined) throw new InputProblem(below(at, key), `${key} belongs to allow: false`)
  for (const key of ['headers', 'response_headers', 'body', 'query', 'metadata'])
    if (given[key] !== undefined) checkReferences(given[key], RULE_REFERENCES, below(at, key), 'remove it')
  const headers = readChanges(given.headers, below(at, 'headers'), ['set', 'append', 'remove'])
  const responseHeaders = readChanges(given.response_headers, below(at, 'response_headers'), ['set', 'append'])
  return {
    decision: isAllowed ? 'allow' : 'deny',
    status: isAllowed ? 200 : readStatus(given.status, below(at, 'status')),
    reason: 'decided by a rule',
    headers,
    responseHeaders,
    isFromRule: true,
    ...(given.body === undefined ? {} : { body: given.body }),
    ...(given.query === undefined ? {} : { query: readQueryChanges(given.query, below(at, 'query')) }),
    ...(given.metadata === undefined ? {} : { metadata: asObject(given.metadata, below(at, 'metadata')) }),
  }
}

/** The decision of one hit. Throws the errors of the budget. */
export function fillDecision(decision: Decision, lookUp: LookUp, output: OutputBudget): Decision {
  const lines = (given: readonly HeaderLine[]): HeaderLine[] =>
    given.map(([name, value]) => [name, settable(expandText(value, lookUp, output))])
  const { headers, responseHeaders, body, query, metadata } = decision
  return {
    ...decision,
    headers: { set: lines(headers.set), append: lines(headers.append), remove: headers.remove },
    responseHeaders: { set: lines(responseHeaders.set), append: lines(responseHeaders.append) },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? expandText(body, lookUp, output) : expandValue(body, lookUp, output) }),
    ...(query === undefined ? {} : { query: { set: lines(query.set), remove: query.remove } }),
    ...(metadata === undefined ? {} : { metadata: expandTexts(metadata, lookUp, output) as JsonObject }),
  }
}

function readStatus(value: Json | undefined, at: string): number {
  if (value === undefined) return 403
  const status = asInteger(value, at, 300, 599)
  if (status === 304) throw new InputProblem(at, 'expected a status with a body: 3xx but 304, or 400 to 599')
  return status
}

function readChanges(value: Json | undefined, at: string, known: readonly string[]): Decision['headers'] {
  if (value === undefined) return NO_CHANGES
  const given = asObject(value, at, `expected an object with ${known.join(', ')}`)
  rejectUnknownKeys(given, known, at)
  const lines = (key: string): HeaderLine[] => {
    const all = readLines(given[key], below(at, key))
    for (const [name, text] of all) rejectHeader(name, text, below(below(at, key), name))
    return all
  }
  return {
    set: lines('set'),
    append: lines('append'),
    remove: readNames(given.remove, below(at, 'remove')).map((name, index) => {
      rejectHeader(name, '', below(below(at, 'remove'), index))
      return name.toLowerCase()
    }),
  }
}

function rejectHeader(name: string, value: string, at: string): void {
  const problem = headerProblem(name, value)
  if (problem === null) return
  const shown = JSON.stringify(name.slice(0, MAX_NAME))
  throw new InputProblem(
    at,
    problem === 'name'
      ? `${shown} is not the name of a header`
      : problem === 'reserved'
        ? `${shown} belongs to the connection or to the whole origin, and can't be changed`
        : 'expected printable ASCII characters',
  )
}

function readQueryChanges(value: Json, at: string): NonNullable<Decision['query']> {
  const given = asObject(value, at, 'expected an object with set, remove')
  rejectUnknownKeys(given, ['set', 'remove'], at)
  return { set: readLines(given.set, below(at, 'set')), remove: readNames(given.remove, below(at, 'remove')) }
}

/** An object of names and texts, or lists of texts. */
function readLines(value: Json | undefined, at: string): HeaderLine[] {
  if (value === undefined) return []
  if (!isRecord(value)) throw new InputProblem(at, 'expected an object of names and texts')
  const lines = Object.entries(value as JsonObject).flatMap(([name, texts]) =>
    (Array.isArray(texts) ? texts : [texts]).map(
      (text): HeaderLine => [name, asText(text, below(at, name), MAX_VALUE)],
    ),
  )
  if (lines.length > MAX_LINES) throw new InputProblem(at, `expected at most ${MAX_LINES} values`)
  return lines
}

function readNames(value: Json | undefined, at: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > MAX_LINES)
    throw new InputProblem(at, `expected a list of at most ${MAX_LINES} names`)
  return value.map((name, index) => asText(name, below(at, index), MAX_NAME, 1))
}
