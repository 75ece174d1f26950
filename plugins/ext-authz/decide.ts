/** The step `decide` of rules about the authorization service. */
import type { Json, JsonObject, OutputBudget } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asMembers,
  asObject,
  below,
  expandHeaderChanges,
  expandLines,
  expandText,
  expandTexts,
  expandValue,
  InputProblem,
  type LookUp,
  readHeaderChanges,
  readLines,
  readNames,
  readStepMembers,
} from 'svc/toolkit'
import type { Decision } from './decision.ts'

const KEYS = ['allow', 'status', 'headers', 'response_headers', 'body', 'query', 'metadata']
/** What only a denial has. */
const OF_DENIAL = ['status', 'body'] as const

/** Reads the value of the step. Throws an `InputProblem`. The result is a decision whose texts have references. */
function readDecide(value: Json, at: string): Decision {
  const given = readStepMembers(value, at, KEYS)
  const isAllowed = asBoolean(given.allow, below(at, 'allow'))
  if (isAllowed)
    for (const key of OF_DENIAL)
      if (given[key] !== undefined) throw new InputProblem(below(at, key), `${key} belongs to allow: false`)
  const headers = readHeaderChanges(given.headers, below(at, 'headers'))
  const responseHeaders = readHeaderChanges(given.response_headers, below(at, 'response_headers'), ['set', 'append'])
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

/** For the service. */
export const DECIDE = { keys: KEYS, read: readDecide }

/** The decision of one hit. Throws the errors of the budget. */
export function fillDecision(decision: Decision, lookUp: LookUp, output: OutputBudget): Decision {
  const { headers, responseHeaders, body, query, metadata } = decision
  return {
    ...decision,
    headers: expandHeaderChanges(headers, lookUp, output),
    responseHeaders: expandHeaderChanges(responseHeaders, lookUp, output),
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? expandText(body, lookUp, output) : expandValue(body, lookUp, output) }),
    ...(query === undefined ? {} : { query: { set: expandLines(query.set, lookUp, output), remove: query.remove } }),
    ...(metadata === undefined ? {} : { metadata: expandTexts(metadata, lookUp, output) as JsonObject }),
  }
}

function readStatus(value: Json | undefined, at: string): number {
  if (value === undefined) return 403
  const status = asInteger(value, at, 300, 599)
  if (status === 304) throw new InputProblem(at, 'expected a status with a body: 3xx but 304, or 400 to 599')
  return status
}

function readQueryChanges(value: Json, at: string): NonNullable<Decision['query']> {
  const given = asMembers(value, at, ['set', 'remove'])
  return { set: readLines(given.set, below(at, 'set')), remove: readNames(given.remove, below(at, 'remove')) }
}
