/** Processes a request for a mock. The steps run in order until one of them produces a response. */
import type { CompiledApi } from './compiled-api.ts'
import type { Parts } from '../management/definition.ts'
import type { Operation } from '../document/operations.ts'
import type { ProblemCode } from '../errors.ts'
import type { Json } from '../document/json.ts'
import type { Incoming } from '../request/incoming.ts'
import { coveringType } from '../request/media-types.ts'
import { parameterValue, type RawParameters } from '../request/parameters.ts'
import { readPreferences, type Preferences } from '../request/prefer.ts'
import { checkSecurity, type SecurityInput, type SecurityResult } from '../request/security.ts'
import { checkBody, checkParameters, isSupportedType, type Violation } from '../request/validation.ts'
import { Answerer, type Answer } from './answer.ts'
import {
  choiceForExample,
  choiceForStatus,
  exampleNames,
  findPairing,
  type Choice,
} from '../response/response-choice.ts'
import type { Renderer } from '../response/rendering.ts'
import type { Outcome } from '../rules/outcome.ts'
import type { Rule } from '../rules/rule.ts'
import type { SessionMemory } from './session-memory.ts'

/** The live definition at the time of the request. */
export interface Live {
  api: CompiledApi
  parts: Parts
  renderer: Renderer
}

/** The dependencies of the engine. */
export interface Surroundings {
  mock: string
  /** The session label for responses and templates. */
  session: string
  /** Counts the call and returns the state of the session. */
  count(operation: string): Promise<SessionMemory>
  setState(values: Record<string, string | null>): Promise<unknown>
  hasClientCertificate(): boolean
  verifyToken: SecurityInput['verifyToken']
  /** A random number from 0 (inclusive) to 1 (exclusive), for failure rates and random seeds. */
  random(): number
  now(): Date
}

/** The context of a request with a known operation. */
export interface Exchange {
  live: Live
  incoming: Incoming
  around: Surroundings
  operation: Operation
  path: Map<string, string>
  preferences: Preferences
  memory: SessionMemory
  /** Number of calls of this operation in this session, including this one. */
  count: number
  violations: Violation[]
  /** Why a part of the request was not validated. */
  skipped: string | null
  credential: string | null
}

/** Responds to a request for an operation. */
export async function answerOperation(
  live: Live,
  incoming: Incoming,
  around: Surroundings,
  operation: Operation,
  path: Map<string, string>,
): Promise<Answer> {
  const { settings } = live.parts
  const memory = await around.count(operation.key)
  const preferences = readPreferences(
    settings.prefer ? incoming.header('prefer') : undefined,
    settings.prefer ? incoming.fullQuery : [],
  )
  const exchange: Exchange = {
    live,
    incoming,
    around,
    operation,
    path,
    preferences,
    memory,
    count: memory.counts[operation.key] ?? 1,
    violations: [],
    skipped: null,
    credential: null,
  }
  const answerer = new Answerer(exchange)
  readBodyOnce(exchange)
  return (
    (await byRule(exchange, answerer, true)) ??
    (await bySecurity(exchange, answerer)) ??
    byValidation(exchange, answerer) ??
    byPreference(exchange, answerer) ??
    (await byRule(exchange, answerer, false)) ??
    byOverride(exchange, answerer, null) ??
    byDocument(exchange, answerer, null)
  )
}

/** Parses the body by media type, for rules, validation and example matching. */
function readBodyOnce({ incoming, operation, live }: Exchange): void {
  if (incoming.bytes.length > 0)
    incoming.read(coveringType(operation.requestBody?.content ?? [], incoming.contentType), live.api.sampler.flattener)
}

async function byRule(exchange: Exchange, answerer: Answerer, bypass: boolean): Promise<Answer | null> {
  const rule = firstRule(exchange, bypass)
  if (!rule) return null
  const { outcome } = rule
  if (Object.keys(outcome.setState).length > 0)
    exchange.memory = { ...exchange.memory, state: await stateAfter(exchange, answerer, outcome) }
  if (outcome.abort) return answerer.abort(rule.id)
  const answer = byOutcome(exchange, answerer, outcome, { source: `rule:${rule.id}`, rule: rule.id })
  return answer ?? byOverride(exchange, answerer, rule) ?? byDocument(exchange, answerer, rule)
}

function firstRule(exchange: Exchange, bypass: boolean): Rule | undefined {
  const { parts, api } = exchange.live
  if (parts.rules.length === 0) return undefined
  const { incoming, around, path, memory, count, violations, operation } = exchange
  const scope = {
    method: incoming.method,
    session: around.session,
    path,
    query: incoming.query,
    header: incoming.header,
    cookies: incoming.cookies,
    body: incoming.json,
    state: memory.state,
    count,
    violations: violations.length,
  }
  return parts.rules.find(
    rule =>
      rule.enabled &&
      rule.bypass === bypass &&
      (rule.operation === null || api.operation(rule.operation) === operation) &&
      rule.matches(scope),
  )
}

async function stateAfter(exchange: Exchange, answerer: Answerer, outcome: Outcome): Promise<Record<string, string>> {
  const values = Object.entries(outcome.setState).map(
    ([name, value]) => [name, value === null ? null : answerer.fill(value)] as const,
  )
  await exchange.around.setState(Object.fromEntries(values))
  const state: Record<string, string> = Object.assign(Object.create(null) as object, exchange.memory.state)
  for (const [name, value] of values) {
    if (value === null) delete state[name]
    else state[name] = value
  }
  return state
}

/** The response for the status, example or body of a rule or override; null if none of them is set. */
function byOutcome(
  exchange: Exchange,
  answerer: Answerer,
  outcome: Outcome,
  by: { source: string; rule: string | null },
): Answer | null {
  const { operation } = exchange
  if (outcome.status === null && outcome.example === null && outcome.body === undefined) return null
  if (outcome.example !== null) {
    const choice = choiceForExample(operation, outcome.example, outcome.status)
    return choice
      ? answerer.fromChoice(choice, { outcome, ...by })
      : noSuchResponse(exchange, answerer, `example "${outcome.example}"`)
  }
  const choice =
    outcome.status === null ? exchange.live.api.defaultChoice(operation) : choiceForStatus(operation, outcome.status)
  if (outcome.body !== undefined)
    return answerer.fromBody(outcome.body, choice, outcome.status ?? choice?.status ?? 200, { outcome, ...by })
  return choice
    ? answerer.fromChoice(choice, { outcome, ...by })
    : answerer.empty(outcome.status ?? 200, { outcome, ...by })
}

async function bySecurity(exchange: Exchange, answerer: Answerer): Promise<Answer | null> {
  const { live, incoming, around, operation } = exchange
  const { security, credentials } = live.parts.settings
  if (security === 'off' || operation.security.length === 0) return null
  const result: SecurityResult = await checkSecurity(live.api.document, operation.security, {
    mock: around.mock,
    header: incoming.header,
    query: incoming.query,
    cookies: incoming.cookies,
    credentials,
    hasClientCertificate: around.hasClientCertificate,
    verifyToken: around.verifyToken,
  })
  if (result.passed) {
    exchange.credential = result.credential
    return null
  }
  const code: ProblemCode = result.status === 403 ? 'insufficient_scope' : 'unauthorized'
  if (security === 'enforce')
    return answerer.refuse(code, result.message, {
      headers: result.challenges.map(challenge => ['WWW-Authenticate', challenge]),
    })
  exchange.violations.push({ in: 'security', path: '', keyword: code, message: result.message })
  return null
}

function byValidation(exchange: Exchange, answerer: Answerer): Answer | null {
  const { live, incoming, operation, path } = exchange
  const { validation } = live.parts.settings
  if (validation === 'off') return null
  const { schemas, sampler } = live.api
  const body = {
    bytes: incoming.bytes,
    contentType: incoming.contentType,
    read: incoming.read(undefined, sampler.flattener),
  }
  if (!isSupportedType(operation, body)) {
    const supported = operation.requestBody?.content.map(({ type }) => type) ?? []
    const message = `the media type "${incoming.contentType.slice(0, 200)}" is not supported`
    if (validation === 'enforce') return answerer.refuse('unsupported_media_type', message, { extra: { supported } })
    exchange.violations.push({ in: 'header', path: '/content-type', keyword: 'media_type', message })
    return null
  }
  const onSkipped = (reason: string): void => {
    exchange.skipped ??= reason
  }
  const violations = [
    ...checkParameters(operation, rawParameters(incoming, path), schemas, sampler.flattener, onSkipped),
    ...checkBody(operation, body, schemas, onSkipped),
  ].slice(0, 20)
  exchange.violations.push(...violations)
  if (validation !== 'enforce' || violations.length === 0) return null
  return answerer.refuse(
    'invalid_request',
    violations.length === 1 ? '1 violation' : `${violations.length} violations`,
    { extra: { errors: violations.map(violation => ({ ...violation })) } },
  )
}

function rawParameters(incoming: Incoming, path: ReadonlyMap<string, string>): RawParameters {
  return {
    path,
    query: incoming.query,
    header: incoming.header,
    get cookies() {
      return incoming.cookies
    },
  }
}

function byPreference(exchange: Exchange, answerer: Answerer): Answer | null {
  const { preferences, operation } = exchange
  if (preferences.code === null && preferences.example === null) return null
  const choice =
    preferences.example === null
      ? choiceForStatus(operation, preferences.code ?? 200)
      : choiceForExample(operation, preferences.example, preferences.code)
  if (choice) return answerer.fromChoice(choice, { outcome: null, source: null, rule: null })
  return noSuchResponse(
    exchange,
    answerer,
    [
      preferences.code === null ? '' : `response ${preferences.code}`,
      preferences.example === null ? '' : `example "${preferences.example}"`,
    ]
      .filter(Boolean)
      .join(' with '),
  )
}

function noSuchResponse({ operation }: Exchange, answerer: Answerer, wanted: string): Answer {
  const available: Json[] = operation.responses.flatMap(response => [
    response.status,
    ...exampleNames(response).map(name => `${response.status}:${name}`),
  ])
  return answerer.problem('no_such_response', `the document has no ${wanted} for "${operation.key}"`, {
    extra: { available },
  })
}

/** Chooses a response by override, example or default. `rule` is a matching rule that chose no response; its modifications apply. */
function byOverride(exchange: Exchange, answerer: Answerer, rule: Rule | null): Answer | null {
  const override = exchange.live.parts.overrides.effective(exchange.operation.key)
  if (!override) return null
  if (override.failPercent > 0 && exchange.around.random() * 100 < override.failPercent) {
    const choice = choiceForStatus(exchange.operation, override.failStatus)
    const by = { outcome: null, source: 'override', rule: rule?.id ?? null }
    return choice
      ? answerer.fromChoice(choice, by)
      : answerer.problem(
          'injected_failure',
          `the override makes ${override.failPercent} percent of the requests fail`,
          {
            status: override.failStatus,
            source: 'override',
          },
        )
  }
  const outcome = rule ? layered(override.outcome, rule.outcome) : override.outcome
  const by = { source: rule ? `rule:${rule.id}` : 'override', rule: rule?.id ?? null }
  return byOutcome(exchange, answerer, outcome, by) ?? byDocument(exchange, answerer, rule, outcome)
}

/** Merges the modifications of a rule over those of the override. */
function layered(below: Outcome, above: Outcome): Outcome {
  return {
    ...below,
    merge: above.merge ?? below.merge,
    headers: { ...below.headers, ...above.headers },
    mediaType: above.mediaType ?? below.mediaType,
    delayMs: above.delayMs || below.delayMs,
  }
}

function byDocument(exchange: Exchange, answerer: Answerer, rule: Rule | null, applied: Outcome | null = null): Answer {
  const { live, operation, incoming, path } = exchange
  const outcome = applied ?? rule?.outcome ?? null
  const source = rule ? `rule:${rule.id}` : applied ? 'override' : null
  const pairings = live.api.pairings(operation)
  const raw = rawParameters(incoming, path)
  const valueOf = (place: string, name: string): Json | undefined => {
    const parameter = operation.parameters.find(entry => entry.in === place && entry.name === name)
    return place === 'path' ? path.get(name) : parameter && parameterValue(parameter, raw, live.api.sampler.flattener)
  }
  const paired = pairings.length > 0 ? findPairing(pairings, valueOf, incoming.json)?.choice : undefined
  const choice: Choice | undefined = paired ?? live.api.defaultChoice(operation)
  if (!choice)
    return answerer.problem('no_response_defined', `the document defines no response for "${operation.key}"`, {})
  return answerer.fromChoice(choice, { outcome, source, rule: rule?.id ?? null })
}
