/** The steps `decide` and `mutate` of rules about MCP methods. */
import type { Json, JsonObject, OutputBudget, StepBudget } from 'svc/plugin'
import {
  applyJsonPatch,
  asBoolean,
  asInteger,
  asMembers,
  asObject,
  asText,
  below,
  expandHeaderChanges,
  expandText,
  expandTexts,
  expandValue,
  type HeaderChanges,
  InputProblem,
  isRecord,
  type JsonPatch,
  type LookUp,
  readHeaderChanges,
  readJsonPatch,
  readStepMembers,
} from 'svc/toolkit'
import type { ServiceStep } from '../gateway-services/types.ts'
import type { ErrorCode, McpCall, McpDecision } from './call.ts'

const CODES: Readonly<Record<string, ErrorCode>> = {
  permission_denied: 'PERMISSION_DENIED',
  resource_exhausted: 'RESOURCE_EXHAUSTED',
  invalid: 'INVALID',
}
const DECIDE_KEYS = ['allow', 'code', 'reason', 'error']
const ERROR_KEYS = ['code', 'message', 'data']
const MUTATE_KEYS = ['params', 'result', 'headers', 'metadata']
const MAX_TEXT = 8192
const MAX_CODE = 2_147_483_647

interface DecideStep {
  isAllowed: boolean
  code: ErrorCode
  /** Null: the rule is named. */
  reason: string | null
  error: JsonObject | null
}

/** A value in place of another, or changes of it. */
type Change = { value: Json } | { patch: JsonPatch }

interface MutateStep {
  params: Change | null
  result: Change | null
  headers: HeaderChanges | null
  metadata: JsonObject | null
}

export const DECIDE: ServiceStep = {
  keys: DECIDE_KEYS,
  read(value, at): DecideStep {
    const given = readStepMembers(value, at, DECIDE_KEYS)
    const isAllowed = asBoolean(given.allow, below(at, 'allow'))
    const other = DECIDE_KEYS.find(key => key !== 'allow' && given[key] !== undefined)
    if (isAllowed && other !== undefined) throw new InputProblem(below(at, other), `${other} belongs to allow: false`)
    return {
      isAllowed,
      code: readCode(given.code, below(at, 'code')),
      reason: given.reason === undefined ? null : asText(given.reason, below(at, 'reason'), MAX_TEXT),
      error: given.error === undefined ? null : readError(given.error, below(at, 'error')),
    }
  },
}

export const MUTATE: ServiceStep = {
  keys: MUTATE_KEYS,
  read(value, at): MutateStep {
    const given = readStepMembers(value, at, MUTATE_KEYS, 1)
    return {
      params: readChange(given.params, below(at, 'params')),
      result: readChange(given.result, below(at, 'result')),
      headers:
        given.headers === undefined ? null : readHeaderChanges(given.headers, below(at, 'headers'), ['set', 'remove']),
      metadata: given.metadata === undefined ? null : asObject(given.metadata, below(at, 'metadata')),
    }
  },
}

function readCode(value: Json | undefined, at: string): ErrorCode {
  if (value === undefined) return 'PERMISSION_DENIED'
  if (typeof value === 'string' && Object.hasOwn(CODES, value)) return CODES[value]!
  throw new InputProblem(at, `expected one of ${Object.keys(CODES).join(', ')}`)
}

function readError(value: Json, at: string): JsonObject {
  const given = asMembers(value, at, ERROR_KEYS)
  asInteger(given.code, below(at, 'code'), -MAX_CODE, MAX_CODE)
  asText(given.message, below(at, 'message'), MAX_TEXT)
  return given
}

function readChange(value: Json | undefined, at: string): Change | null {
  if (value === undefined) return null
  if (!isRecord(value)) throw new InputProblem(at, 'expected an object, or {"json_patch": […]}')
  const { json_patch: patch, ...others } = value as JsonObject
  if (patch === undefined || Object.keys(others).length > 0) return { value }
  return { patch: readJsonPatch(patch, below(at, 'json_patch')) }
}

export interface Filling {
  lookUp: LookUp
  output: OutputBudget
}

/** The decision of one hit. Throws the errors of the budget. */
export function decided(step: unknown, rule: string, { lookUp, output }: Filling): McpDecision {
  const { isAllowed, code, reason, error } = step as DecideStep
  const byRule = `decided by the rule ${rule}`
  if (isAllowed) return { kind: 'pass', reason: byRule }
  return {
    kind: 'deny',
    code,
    reason: reason === null ? byRule : expandText(reason, lookUp, output),
    ...(error === null ? {} : { error: expandValue(error, lookUp, output) }),
  }
}

/**
 * What one hit changes. What belongs to the other phase is left out. Throws an `InputProblem` for a patch that does not fit, and
 * the errors of the budgets.
 */
export function mutated(
  step: unknown,
  call: McpCall,
  rule: string,
  { lookUp, output, steps }: Filling & { steps: StepBudget },
): McpDecision {
  const { params, result, headers, metadata } = step as MutateStep
  const isRequest = call.phase === 'request'
  const change = isRequest ? params : result
  const fill = (value: Json): Json => expandValue(value, lookUp, output)
  const value =
    change === null
      ? undefined
      : 'patch' in change
        ? applyJsonPatch(call.value ?? {}, change.patch, { output, steps, fill })
        : fill(change.value)
  const forOther = isRequest
    ? result !== null && ['result']
    : [
        ...(params === null ? [] : ['params']),
        ...(headers === null ? [] : ['headers']),
        ...(metadata === null ? [] : ['metadata']),
      ]
  return {
    kind: 'mutate',
    reason: `changed by the rule ${rule}`,
    leftOut: forOther || [],
    ...(value === undefined ? {} : { value }),
    ...(isRequest && headers !== null ? { headers: expandHeaderChanges(headers, lookUp, output) } : {}),
    ...(isRequest && metadata !== null ? { metadata: expandTexts(metadata, lookUp, output) as JsonObject } : {}),
  }
}
