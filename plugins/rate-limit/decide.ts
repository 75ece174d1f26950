/** The step `decide` of rules about the rate-limit service. */
import type { Json, JsonObject, OutputBudget } from 'svc/plugin'
import {
  asObject,
  asText,
  below,
  expandLines,
  expandText,
  expandTexts,
  type HeaderLine,
  InputProblem,
  type LookUp,
  readHeaderLines,
  readStepMembers,
} from 'svc/toolkit'
import { CODES } from './fault-entry.ts'
import type { Code } from './limit.ts'

/** What a rule decides; texts have references. */
export interface RuleDecision {
  code: Code
  headers: readonly HeaderLine[]
  requestHeaders: readonly HeaderLine[]
  metadata?: JsonObject
  rawBody?: string
}

const KEYS = ['code', 'headers', 'request_headers', 'metadata', 'raw_body']
const MAX_BODY = 65_536

/** Reads the value of the step. Throws an `InputProblem`. */
function readDecide(value: Json, at: string): RuleDecision {
  const given = readStepMembers(value, at, KEYS)
  const { code } = given
  if (typeof code !== 'string' || !Object.hasOwn(CODES, code))
    throw new InputProblem(below(at, 'code'), `expected one of ${Object.keys(CODES).join(', ')}`)
  return {
    code: CODES[code]!,
    headers: readHeaderLines(given.headers, below(at, 'headers')),
    requestHeaders: readHeaderLines(given.request_headers, below(at, 'request_headers')),
    ...(given.metadata === undefined ? {} : { metadata: asObject(given.metadata, below(at, 'metadata')) }),
    ...(given.raw_body === undefined ? {} : { rawBody: asText(given.raw_body, below(at, 'raw_body'), MAX_BODY) }),
  }
}

/** For the service. */
export const DECIDE = { keys: KEYS, read: readDecide }

/** The decision of one hit. Throws the errors of the budget. */
export function fillDecision(decision: RuleDecision, lookUp: LookUp, output: OutputBudget): RuleDecision {
  const { headers, requestHeaders, metadata, rawBody } = decision
  return {
    ...decision,
    headers: expandLines(headers, lookUp, output),
    requestHeaders: expandLines(requestHeaders, lookUp, output),
    ...(metadata === undefined ? {} : { metadata: expandTexts(metadata, lookUp, output) as JsonObject }),
    ...(rawBody === undefined ? {} : { rawBody: expandText(rawBody, lookUp, output) }),
  }
}
