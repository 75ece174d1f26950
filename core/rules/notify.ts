/** `notify`: requests that are sent after the response. */
import type { OutputBudget } from '../contract/budgets.ts'
import type { Json } from '../contract/json.ts'
import { readDistribution, type Distribution } from '../toolkit/distribution.ts'
import { writeJson } from '../toolkit/exact-json.ts'
import { expandLines, readHeaderLines, type HeaderLine } from '../toolkit/header-lines.ts'
import { asObject, asText, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import { checkReferences, expandText, expandValue, type LookUp } from '../toolkit/references.ts'
import { RULE_REFERENCES } from '../toolkit/request-references.ts'
import type { RuleBounds } from './bounds.ts'

/** A request of a rule, with references. */
export interface Notification {
  method: string
  url: string
  headers: readonly HeaderLine[]
  /** A text, JSON, or null for no body. */
  body: { kind: 'text'; text: string } | { kind: 'json'; value: Json } | null
  delay: Distribution | null
  /** Whether a reference reads the body of the request. */
  needsBody: boolean
}

/** The request of one hit. */
export interface FilledNotification {
  method: string
  url: string
  headers: readonly HeaderLine[]
  body: string
}

export const MAX_NOTIFY_DELAY_MS = 60_000
const KEYS = ['method', 'url', 'headers', 'body', 'delay']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const MAX_URL = 2000
const MAX_DEPTH = 100

/** Reads the list. Throws an `InputProblem`. */
export function readNotify(value: Json, at: string, { notifications }: RuleBounds): Notification[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > notifications)
    throw new InputProblem(at, `expected a list of 1 to ${notifications} requests`)
  return value.map((entry, index) => readNotification(entry, below(at, index)))
}

function readNotification(value: Json, at: string): Notification {
  const given = asObject(value, at, 'expected an object with url')
  rejectUnknownKeys(given, KEYS, at)
  for (const key of ['url', 'headers', 'body'])
    if (given[key] !== undefined) checkReferences(given[key], RULE_REFERENCES, below(at, key), 'remove it')
  const { body } = given
  if (body !== undefined && !isNestedWithin(body, MAX_DEPTH))
    throw new InputProblem(below(at, 'body'), `expected JSON with at most ${MAX_DEPTH} levels`)
  return {
    method: given.method === undefined ? 'POST' : readMethod(given.method, below(at, 'method')),
    url: readUrl(given.url, below(at, 'url')),
    headers: readHeaderLines(given.headers, below(at, 'headers')),
    body:
      body === undefined
        ? null
        : typeof body === 'string'
          ? { kind: 'text', text: body }
          : { kind: 'json', value: body },
    delay: given.delay === undefined ? null : readDelay(given.delay, below(at, 'delay')),
    needsBody: /\{\{\s{0,10}request\.body/.test(JSON.stringify(given)),
  }
}

function readMethod(value: Json, at: string): string {
  const method = typeof value === 'string' ? value.toUpperCase() : ''
  if (!METHODS.includes(method)) throw new InputProblem(at, `expected one of ${METHODS.join(', ')}`)
  return method
}

/** What a reference inserts is checked when the request is sent. */
function readUrl(value: Json | undefined, at: string): string {
  const url = asText(value, at, MAX_URL, 1)
  if (!/^(?:\/(?!\/)|https?:\/\/|\{\{)/i.test(url))
    throw new InputProblem(at, 'expected a path of this instance, such as /echo, or a URL')
  return url
}

function readDelay(value: Json, at: string): Distribution {
  if (typeof value === 'number' && (!Number.isInteger(value) || value > MAX_NOTIFY_DELAY_MS))
    throw new InputProblem(at, `expected whole milliseconds up to ${MAX_NOTIFY_DELAY_MS}, or a distribution`)
  return readDistribution(value, at)
}

/** The request of one hit. Throws the errors of the budget. */
export function fillNotification(
  { method, url, headers, body }: Notification,
  lookUp: LookUp,
  output: OutputBudget,
): FilledNotification {
  const lines = expandLines(headers, lookUp, output)
  const type = body === null || lines.some(([name]) => name.toLowerCase() === 'content-type') ? null : typeOf(body)
  return {
    method,
    url: expandText(url, lookUp, output),
    headers: type === null ? lines : [...lines, ['Content-Type', type]],
    body:
      body === null
        ? ''
        : body.kind === 'text'
          ? expandText(body.text, lookUp, output)
          : writeJson(expandValue(body.value, lookUp, output)),
  }
}

function typeOf({ kind }: NonNullable<Notification['body']>): string {
  return kind === 'json' ? 'application/json' : 'text/plain; charset=utf-8'
}
