/** The step `decide` of rules about the authorization service. */
import type { Json, JsonObject, OutputBudget } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asObject,
  below,
  checkReferences,
  expandLines,
  expandText,
  expandTexts,
  expandValue,
  InputProblem,
  type LookUp,
  readHeaderLines,
  readHeaderNames,
  readLines,
  readNames,
  rejectUnknownKeys,
  RULE_REFERENCES,
} from 'svc/toolkit'
import { type Decision, type HeaderLine, NO_CHANGES } from './decision.ts'

const KEYS = ['allow', 'status', 'headers', 'response_headers', 'body', 'query', 'metadata']
/** What only a denial has. */
const OF_DENIAL = ['status', 'body'] as const

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
  const lines = (given: readonly HeaderLine[]): HeaderLine[] => expandLines(given, lookUp, output)
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
  return {
    set: readHeaderLines(given.set, below(at, 'set')),
    append: readHeaderLines(given.append, below(at, 'append')),
    remove: readHeaderNames(given.remove, below(at, 'remove')),
  }
}

function readQueryChanges(value: Json, at: string): NonNullable<Decision['query']> {
  const given = asObject(value, at, 'expected an object with set, remove')
  rejectUnknownKeys(given, ['set', 'remove'], at)
  return { set: readLines(given.set, below(at, 'set')), remove: readNames(given.remove, below(at, 'remove')) }
}
