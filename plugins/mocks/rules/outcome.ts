/** The modifications of a response by a rule or override, and their validation. */
import {
  checkReferences,
  fieldProblem,
  isOriginWide,
  isRecord,
  isToken,
  RULE_REFERENCES,
  type ReferenceWords,
} from 'svc/toolkit'
import { own, type Json, type JsonObject } from '../document/json.ts'

export interface Outcome {
  status: number | null
  example: string | null
  /** Undefined if absent; null is a valid body. */
  body: Json | undefined
  /** JSON Merge Patch (RFC 7396) for the body. */
  merge: Json | undefined
  /** A name with a list of values has a line for each. */
  headers: Record<string, string | string[]>
  mediaType: string | null
  delayMs: number
  /** Null removes a key. */
  setState: Record<string, string | null>
  abort: boolean
  /** Whether references in texts are replaced. */
  isTemplate: boolean
}

/** The words of references. */
export const MOCK_REFERENCES: ReferenceWords = {
  ...RULE_REFERENCES,
  state: 'names',
  mock: 'nothing',
  operation: 'nothing',
}
/** The keys in whose texts references are replaced. */
const TEMPLATES = ['body', 'merge', 'headers', 'set_state']

export interface OutcomeLimits {
  maxDelayMs: number
  bodyBytes: number
  stateKeys: number
  stateValueBytes: number
}

/** A validation error and its location inside the item. */
export interface Problem {
  at: string
  message: string
}

/** Framing headers and headers that the server sets, where other values would break clients. */
const FORBIDDEN_HEADER =
  /^(?:connection|content-length|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-request-id|x-svc-.*)$/i
/** Maximum length of a header name. */
const MAX_NAME = 100
/** Lines of one header. */
const MAX_LINES = 20

/** Returns an error message, or null if the value is valid. */
export type OutcomeCheck = (value: Json, limits: OutcomeLimits) => string | null

/** The keys that the rules of all kinds of mocks have. */
export const SHARED_CHECKS: Record<string, OutcomeCheck> = {
  status: value =>
    Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599
      ? null
      : 'expected a status from 200 to 599',
  merge: checkSize,
  headers: checkHeaders,
  delay_ms: (value, limits) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= limits.maxDelayMs
      ? null
      : `expected an integer number of milliseconds from 0 to ${limits.maxDelayMs}`,
  set_state: checkState,
  template: value => (typeof value === 'boolean' ? null : 'expected true or false'),
}

const CHECKS: Record<string, OutcomeCheck> = {
  ...SHARED_CHECKS,
  example: value =>
    typeof value === 'string' && value !== '' && value.length <= 256 ? null : 'expected the name of an example',
  body: checkSize,
  media_type: value =>
    typeof value === 'string' && isMediaType(value) ? null : 'expected a media type such as application/json',
  abort: value => (typeof value === 'boolean' ? null : 'expected true or false'),
}

const MAX_MEDIA_TYPE = 1024

/**
 * Type, subtype and parameters (RFC 9110, 8.3.1), parsed in steps, because a single pattern would backtrack over
 * whitespace.
 */
function isMediaType(text: string): boolean {
  if (text.length > MAX_MEDIA_TYPE || /[\r\n]/.test(text)) return false
  const [type = '', ...parameters] = text.split(';')
  return (
    /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(parameters.length === 0 ? type : type.trimEnd()) &&
    parameters.every(parameter => /^[\w-]{1,40}=.{1,100}$/.test(parameter.trim()))
  )
}

export function checkSize(value: Json, limits: OutcomeLimits): string | null {
  return JSON.stringify(value).length <= limits.bodyBytes
    ? null
    : `expected a body of at most ${limits.bodyBytes} bytes`
}

function checkHeaders(value: Json): string | null {
  if (!isRecord(value) || Object.keys(value).length > 50) return 'expected an object of at most 50 headers'
  for (const [name, text] of Object.entries(value)) {
    if (name.length > MAX_NAME || !isToken(name)) return `"${name.slice(0, MAX_NAME)}" is not a valid header name`
    if (FORBIDDEN_HEADER.test(name) || isOriginWide(name)) return `the header ${name} can't be set`
    const lines = Array.isArray(text) ? text : [text]
    if (lines.length === 0 || lines.length > MAX_LINES)
      return `expected a string, or a list of 1 to ${MAX_LINES} strings, for the header ${name}`
    if (!lines.every(line => typeof line === 'string' && line.length <= 8192))
      return `expected a string of at most 8192 characters for the header ${name}`
    for (const line of lines as string[]) {
      const problem = fieldProblem(name, line)
      if (problem !== null) return problem
    }
  }
  return null
}

function checkState(value: Json, limits: OutcomeLimits): string | null {
  if (!isRecord(value) || Object.keys(value).length > limits.stateKeys)
    return `expected an object of at most ${limits.stateKeys} keys`
  for (const [name, text] of Object.entries(value)) {
    if (text !== null && (typeof text !== 'string' || text.length > limits.stateValueBytes))
      return `expected a string of at most ${limits.stateValueBytes} characters or null for "${name.slice(0, 64)}"`
  }
  return null
}

/** Validates an outcome. `others` are keys that the caller validates. */
export function readOutcome(
  value: JsonObject,
  others: readonly string[],
  limits: OutcomeLimits,
): { outcome: Outcome } | { problem: Problem } {
  const problem = outcomeProblem(value, { checks: CHECKS, others, templates: TEMPLATES }, limits)
  if (problem !== null) return { problem }
  return {
    outcome: {
      status: (own(value, 'status') as number | undefined) ?? null,
      example: (own(value, 'example') as string | undefined) ?? null,
      body: own(value, 'body'),
      merge: own(value, 'merge'),
      headers: (own(value, 'headers') as Record<string, string | string[]> | undefined) ?? {},
      mediaType: (own(value, 'media_type') as string | undefined) ?? null,
      delayMs: (own(value, 'delay_ms') as number | undefined) ?? 0,
      setState: (own(value, 'set_state') as Record<string, string | null> | undefined) ?? {},
      abort: own(value, 'abort') === true,
      isTemplate: own(value, 'template') !== false,
    },
  }
}

/** What is wrong with an outcome: null if nothing is. In the texts of `templates`, references are checked. */
export function outcomeProblem(
  value: JsonObject,
  {
    checks,
    others = [],
    templates,
  }: { checks: Record<string, OutcomeCheck>; others?: readonly string[]; templates: readonly string[] },
  limits: OutcomeLimits,
): Problem | null {
  for (const [key, entry] of Object.entries(value)) {
    if (others.includes(key)) continue
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined
    const message = check
      ? check(entry, limits)
      : `unknown key (known: ${[...Object.keys(checks), ...others].join(', ')})`
    if (message) return { at: key.slice(0, 64), message }
  }
  if (own(value, 'template') === false) return null
  for (const key of templates) {
    const problem = referenceProblem(own(value, key), key)
    if (problem !== null) return problem
  }
  return null
}

/** The first reference that can't be looked up. */
function referenceProblem(value: Json | undefined, key: string): Problem | null {
  if (value === undefined) return null
  try {
    checkReferences(value, MOCK_REFERENCES, key)
    return null
  } catch (error) {
    const { at, message, remedy } = error as { at: string; message: string; remedy?: string }
    return { at, message: remedy === undefined ? message : `${message}; ${remedy}` }
  }
}
