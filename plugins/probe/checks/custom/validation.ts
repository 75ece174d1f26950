/** What a check of another plugin has to be like. */
import { isRecord, isToken } from 'svc/toolkit'
import type { CheckField, CheckStep, CustomCheck, CustomPairCheck, PairStep, StepAnswer } from '../../types.ts'

const MAX_STEPS = 50
const MAX_FIELDS = 100
const MAX_PARTS = 100
const MAX_BODY = 1024 * 1024
const MAX_TARGET = 8 * 1024
const MAX_VALUE = 64 * 1024
const MAX_DELAY_MS = 30_000
const MAX_PAGE = 4_000
const MAX_SEEN = 20
const THREAD = /^[\w.-]+\/[\w.-]+#\d{1,9}$/

const ID = /^[a-z][a-z0-9-]{0,39}\.[A-Z0-9][A-Z0-9-]{0,39}$/
const GROUP = /^[a-z][a-z0-9-]{0,29}$/
const LEVELS = ['must', 'other-spec', 'integrity', 'should', 'hazard', 'proxy-only', 'observation', 'timing']
const IMPACTS = ['low', 'medium', 'high']
const PROTOCOLS = ['1.1', '2']
const ENDS = ['keep', 'end', 'reset']
/** The probe adds them itself. */
const OWN_FIELDS = ['host', 'content-length', 'transfer-encoding', 'x-svc-probe']
const KEYS = [
  'id',
  'title',
  'group',
  'level',
  'impact',
  'sources',
  'protocols',
  'isAlone',
  'breaksUpstream',
  'judgesRefusal',
  'page',
  'steps',
  'judge',
]
const PAIR_KEYS = [...KEYS.filter(key => key !== 'protocols'), 'forPairs']
const PAIR_STEP_KEYS = ['name', 'request', 'isStream', 'answer']
const STEP_KEYS = ['name', 'method', 'rest', 'path', 'fields', 'body', 'isChunked', 'sameConnection', 'answer']
const ANSWER_KEYS = ['status', 'fields', 'body', 'parts', 'delayMs', 'then']
const FLAGS = ['isAlone', 'breaksUpstream', 'judgesRefusal'] as const

/** What is wrong with a check; null if it is valid. Plugins may be written in JavaScript, so types are checked too. */
export function checkProblem(check: CustomCheck | CustomPairCheck): string | null {
  if (!isObject(check)) return 'a check must be an object'
  const { id, title, group, level, impact, sources = [], page, judge } = check
  if (typeof id !== 'string' || !ID.test(id)) return 'the id must have a prefix and a name, such as acme.SOAP-ACTION'
  const isForPairs = 'forPairs' in check
  const unknown = unknownKey(check, isForPairs ? PAIR_KEYS : KEYS)
  if (unknown !== null) return unknown
  if (!isText(title, 100)) return '"title" must be a text of at most 100 characters'
  if (typeof group !== 'string' || !GROUP.test(group)) return '"group" must be a word in lower case'
  if (!LEVELS.includes(level)) return `"level" must be one of ${LEVELS.join(', ')}`
  if (impact !== undefined && !IMPACTS.includes(impact)) return `"impact" must be one of ${IMPACTS.join(', ')}`
  if (!Array.isArray(sources) || sources.length > 10 || !sources.every(isSource))
    return '"sources" must be a list of at most 10 items {spec, section}'
  for (const flag of FLAGS)
    if (check[flag] !== undefined && typeof check[flag] !== 'boolean') return `"${flag}" must be a boolean`
  if (!isObject(page) || !(['sent', 'expected', 'why'] as const).every(key => isText(page[key], MAX_PAGE)))
    return '"page" needs the texts sent, expected and why'
  const { seen = [] } = page as { seen?: unknown }
  if (!Array.isArray(seen) || seen.length > MAX_SEEN || !seen.every(one => isText(one, 200) && THREAD.test(one)))
    return `"page.seen" must be a list of at most ${MAX_SEEN} threads such as owner/name#12`
  if (typeof judge !== 'function') return '"judge" must be a function'
  if (!isForPairs) return stepsProblem(check)
  if (check.forPairs !== true) return '"forPairs" must be true'
  return typeof check.steps === 'function' ? null : '"steps" must be a function of a check for pairs'
}

function stepsProblem({ steps, protocols = ['1.1'] }: CustomCheck): string | null {
  if (!Array.isArray(protocols) || protocols.length === 0 || !protocols.every(one => PROTOCOLS.includes(one)))
    return '"protocols" must be a list of "1.1" and "2"'
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
    return `"steps" must be a list of 1 to ${MAX_STEPS} steps`
  for (const [index, step] of steps.entries()) {
    const problem = stepProblem(step, index)
    if (problem !== null) return `step ${index + 1}: ${problem}`
  }
  return new Set(steps.map(({ name }) => name)).size < steps.length ? 'two steps have the same name' : null
}

/** What is wrong with the steps of a check for pairs; null if they are valid. */
export function pairStepsProblem(steps: readonly PairStep[]): string | null {
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
    return `"steps" must return a list of 1 to ${MAX_STEPS} steps`
  for (const [index, step] of steps.entries()) {
    const problem = pairStepProblem(step as PairStep)
    if (problem !== null) return `step ${index + 1}: ${problem}`
  }
  return new Set(steps.map(({ name }: PairStep) => name)).size < steps.length ? 'two steps have the same name' : null
}

function pairStepProblem(step: PairStep): string | null {
  if (!isObject(step)) return 'a step must be an object'
  const { name, request, isStream = false, answer = {} } = step
  if (!isText(name, 60)) return '"name" must be a text of at most 60 characters'
  if (!isObject(request) || !Array.isArray(request.turns)) return '"request" needs a list of turns'
  if (typeof isStream !== 'boolean') return '"isStream" must be a boolean'
  if (!isObject(answer)) return '"answer" must be the step of a rule'
  return JSON.stringify([request, answer]).length > MAX_BODY
    ? `"request" and "answer" have at most ${MAX_BODY} characters`
    : unknownKey(step, PAIR_STEP_KEYS)
}

function stepProblem(step: CheckStep, index: number): string | null {
  if (!isObject(step)) return 'a step must be an object'
  const { name, method = 'GET', rest = '', path = '/', fields = [], body = '', answer = {} } = step
  if (!isText(name, 60)) return '"name" must be a text of at most 60 characters'
  if (typeof method !== 'string' || !isToken(method) || method.length > 40) return '"method" is not a method'
  if (!isTarget(rest) || !/^(?:[/?]|$)/.test(rest)) return '"rest" must begin with / or ? and have no spaces'
  if (!isTarget(path) || !path.startsWith('/')) return '"path" must begin with / and have no spaces'
  if (step.sameConnection === true && index === 0) return 'the first step has no connection to share'
  return (
    unknownKey(step, STEP_KEYS) ??
    flagProblem(step, 'isChunked') ??
    flagProblem(step, 'sameConnection') ??
    fieldsProblem(fields) ??
    bodyProblem(body) ??
    answerProblem(answer)
  )
}

function answerProblem(answer: StepAnswer): string | null {
  if (!isObject(answer)) return '"answer" must be an object'
  const { status = 200, fields = [], body = '', parts = [], delayMs = 0, then = 'keep' } = answer
  if (!Number.isInteger(status) || status < 200 || status > 599) return '"status" must be from 200 to 599'
  if ((status === 204 || status === 304) && (answer.body !== undefined || answer.parts !== undefined))
    return `an answer with ${status} has no body`
  if (answer.body !== undefined && answer.parts !== undefined) return '"body" and "parts" exclude each other'
  if (!isBetween(delayMs)) return `"delayMs" must be from 0 to ${MAX_DELAY_MS}`
  if (!ENDS.includes(then)) return `"then" must be one of ${ENDS.join(', ')}`
  if (!Array.isArray(parts) || parts.length > MAX_PARTS) return `"parts" has at most ${MAX_PARTS} items`
  if (!parts.every(part => isObject(part) && isText(part.text, MAX_VALUE) && isBetween(part.afterMs ?? 0)))
    return `each of "parts" needs a text, and afterMs from 0 to ${MAX_DELAY_MS}`
  return unknownKey(answer, ANSWER_KEYS) ?? fieldsProblem(fields) ?? bodyProblem(body)
}

function fieldsProblem(fields: readonly CheckField[]): string | null {
  if (!Array.isArray(fields) || fields.length > MAX_FIELDS) return `"fields" has at most ${MAX_FIELDS} items`
  for (const field of fields as readonly unknown[]) {
    if (!Array.isArray(field) || field.length !== 2) return 'each of "fields" must be [name, value]'
    const [name, value] = field as [unknown, unknown]
    if (typeof name !== 'string' || !isToken(name) || name.length > 200) return 'the name of a field is not valid'
    if (typeof value !== 'string' || value.length > MAX_VALUE || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
      return `the value of ${name} is not valid`
    if (OWN_FIELDS.includes(name.toLowerCase())) return `the probe itself adds ${name}`
  }
  return null
}

function bodyProblem(body: string | Buffer): string | null {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return '"body" must be a text or a Buffer'
  return Buffer.byteLength(body) > MAX_BODY ? `"body" has at most ${MAX_BODY} bytes` : null
}

function flagProblem(step: CheckStep, flag: 'isChunked' | 'sameConnection'): string | null {
  return step[flag] !== undefined && typeof step[flag] !== 'boolean' ? `"${flag}" must be a boolean` : null
}

function unknownKey(object: object, known: readonly string[]): string | null {
  const wrong = Object.keys(object).find(key => !known.includes(key))
  return wrong === undefined ? null : `unknown key "${wrong.slice(0, 50)}"; expected ${known.join(', ')}`
}

function isSource(source: unknown): boolean {
  return isRecord(source) && isText(source.spec, 100) && (source.section === undefined || isText(source.section, 40))
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= max
}

function isTarget(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TARGET && /^[!-~]*$/.test(value)
}

function isBetween(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms <= MAX_DELAY_MS
}

/** Not a type guard: a valid definition has its type already. */
function isObject(value: unknown): boolean {
  return isRecord(value)
}
