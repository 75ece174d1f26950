/** What a rule of a GraphQL mock does: an answer, or changes of the generated one. */
import { isRecord } from 'svc/toolkit'
import { own, type Json, type JsonObject } from '../document/json.ts'
import { checkSize, outcomeProblem, SHARED_CHECKS, type OutcomeCheck } from '../rules/outcome.ts'
import type { ReadThen } from '../rules/rule.ts'

export interface GraphOutcome {
  /** Undefined: the generated data, unless there are errors. */
  data: Json | undefined
  errors: JsonObject[] | null
  extensions: JsonObject | null
  status: number | null
  headers: Record<string, string | string[]>
  delayMs: number
  /** JSON Merge Patch (RFC 7396) for `data`. */
  merge: Json | undefined
  /** Null removes a key. */
  setState: Record<string, string | null>
  isTemplate: boolean
}

const MAX_ERRORS = 20

const CHECKS: Record<string, OutcomeCheck> = {
  ...SHARED_CHECKS,
  data: (value, limits) =>
    value === null || isRecord(value) ? checkSize(value, limits) : 'expected an object, or null',
  errors: (value, limits) =>
    Array.isArray(value) && value.length > 0 && value.length <= MAX_ERRORS && value.every(isError)
      ? checkSize(value, limits)
      : `expected a list of 1 to ${MAX_ERRORS} objects with a message`,
  extensions: (value, limits) => (isRecord(value) ? checkSize(value, limits) : 'expected an object'),
}
const TEMPLATES = ['data', 'errors', 'extensions', 'merge', 'headers', 'set_state']

function isError(value: Json): boolean {
  return isRecord(value) && typeof own(value, 'message') === 'string'
}

export const readGraphThen: ReadThen<GraphOutcome> = (then, limits) => {
  const problem = outcomeProblem(then, { checks: CHECKS, templates: TEMPLATES }, limits)
  if (problem !== null) return { problem }
  return {
    outcome: {
      data: own(then, 'data'),
      errors: (own(then, 'errors') as JsonObject[] | undefined) ?? null,
      extensions: (own(then, 'extensions') as JsonObject | undefined) ?? null,
      status: (own(then, 'status') as number | undefined) ?? null,
      headers: (own(then, 'headers') as GraphOutcome['headers'] | undefined) ?? {},
      delayMs: (own(then, 'delay_ms') as number | undefined) ?? 0,
      merge: own(then, 'merge'),
      setState: (own(then, 'set_state') as GraphOutcome['setState'] | undefined) ?? {},
      isTemplate: own(then, 'template') !== false,
    },
  }
}
