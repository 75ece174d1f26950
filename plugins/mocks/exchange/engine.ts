/** Processes a request for a mock. The steps run in order until one of them produces a response. */
import { isTooExpensive, type OutputBudget, type StepBudget } from 'svc/plugin'
import type { CompiledApi } from '../api/compiled-api.ts'
import type { Parts } from '../definition/definition.ts'
import type { Operation } from '../document/operations.ts'
import type { ProblemCode } from '../errors.ts'
import type { Json } from '../document/json.ts'
import type { Incoming } from '../request/incoming.ts'
import { coveringType } from '../request/media-types.ts'
import { parameterValue } from '../request/parameters.ts'
import { readPreferences, type Preferences } from '../request/prefer.ts'
import { checkSecurity, type SecurityInput, type SecurityResult } from '../request/security.ts'
import { checkBody, checkParameters, isSupportedType, type Violation } from '../request/validation.ts'
import { planCallbacks } from './callbacks.ts'
import { ResponseBuilder, type MockResponse } from './response-builder.ts'
import { subjectOf } from './subject.ts'
import {
  choiceForExample,
  choiceForStatus,
  exampleNames,
  findPairings,
  type Choice,
  type Pairing,
} from '../api/response-choice.ts'
import type { Renderer } from '../response/rendering.ts'
import type { Outcome } from '../rules/outcome.ts'
import type { Rule } from '../rules/rule.ts'
import { NO_MEMORY, type SessionMemory } from './session-memory.ts'

/** The live definition at the time of the request. */
export interface Live {
  api: CompiledApi
  parts: Parts
  renderer: Renderer
}

/** The dependencies of the engine. */
export interface EngineContext {
  mock: string
  /** The URL of the request. */
  readonly url: string
  /** The session label for responses and templates. */
  session: string
  clientIp: string
  scheme: 'http' | 'https'
  /** Counts the call and returns the state of the session. */
  count(operation: string): Promise<SessionMemory>
  setState(values: Record<string, string | null>): Promise<unknown>
  hasClientCertificate(): boolean
  verifyToken: SecurityInput['verifyToken']
  /** A random number from 0 (inclusive) to 1 (exclusive), for failure rates and random seeds. */
  random(): number
  now(): Date
  /** The budget of the answer. */
  readonly output: OutputBudget
  /** The budget of conditions and validation. */
  readonly steps: StepBudget
  /** The budget for generating data. */
  readonly generation: StepBudget
  /** The budget for checking generated data. */
  readonly checks: StepBudget
  /** The budget for writing the answer. */
  readonly writing: StepBudget
  /** Reports a rule that does not act because its conditions take too many steps. */
  ignoreRule(id: string): void
}

/** A call of an operation: the request, and what is known of it. */
export interface OperationCall {
  live: Live
  incoming: Incoming
  context: EngineContext
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
export async function handleOperation(
  live: Live,
  incoming: Incoming,
  context: EngineContext,
  operation: Operation,
  path: Map<string, string>,
): Promise<MockResponse> {
  const { settings } = live.parts
  const memory = await countCall(live, context, operation)
  const preferences = readPreferences(
    settings.prefer ? incoming.header('prefer') : undefined,
    settings.prefer ? incoming.fullQuery : [],
  )
  const call: OperationCall = {
    live,
    incoming,
    context,
    operation,
    path,
    preferences,
    memory,
    count: memory.counts[operation.key] ?? 1,
    violations: [],
    skipped: null,
    credential: null,
  }
  const builder = new ResponseBuilder(call)
  readBodyOnce(call)
  const response =
    (await byRule(call, builder, true)) ??
    (await bySecurity(call, builder)) ??
    byValidation(call, builder) ??
    byPreference(call, builder) ??
    (await byRule(call, builder, false)) ??
    byOverride(call, builder, null) ??
    byDocument(call, builder, null)
  return operation.callbacks.length === 0 ? response : { ...response, callbacks: planCallbacks(call, response) }
}

/**
 * Counts the call. Only rules and overrides read what a session has, so other mocks do not wait for the store, and respond
 * while it is unavailable.
 */
async function countCall({ parts }: Live, context: EngineContext, operation: Operation): Promise<SessionMemory> {
  const counted = context.count(operation.key)
  if (parts.rules.some(({ enabled }) => enabled) || parts.overrides.effective(operation.key)) return counted
  counted.catch(() => {})
  return NO_MEMORY
}

/** Parses the body by media type, for rules, validation and example matching. */
function readBodyOnce({ incoming, operation, live }: OperationCall): void {
  if (incoming.bytes.length > 0)
    incoming.read(coveringType(operation.requestBody?.content ?? [], incoming.contentType), live.api.sampler.flattener)
}

async function byRule(call: OperationCall, builder: ResponseBuilder, bypass: boolean): Promise<MockResponse | null> {
  const rule = firstRule(call, bypass)
  if (!rule) return null
  const { outcome } = rule
  if (Object.keys(outcome.setState).length > 0)
    call.memory = { ...call.memory, state: await stateAfter(call, builder, outcome) }
  if (outcome.abort) return builder.abort(rule.id)
  const response = byOutcome(call, builder, outcome, { source: `rule:${rule.id}`, rule: rule.id })
  return response ?? byOverride(call, builder, rule) ?? byDocument(call, builder, rule)
}

function firstRule(call: OperationCall, bypass: boolean): Rule | undefined {
  const { parts, api } = call.live
  if (parts.rules.length === 0) return undefined
  const { operation, context } = call
  const subject = subjectOf(call)
  const isMet = (rule: Rule): boolean => {
    try {
      return rule.conditions.holds(subject)
    } catch (error) {
      if (!isTooExpensive(error)) throw error
      context.ignoreRule(rule.id)
      return false
    }
  }
  return parts.rules.find(
    rule =>
      rule.enabled &&
      rule.bypass === bypass &&
      (rule.operation === null || api.operation(rule.operation) === operation) &&
      isMet(rule),
  )
}

async function stateAfter(
  call: OperationCall,
  builder: ResponseBuilder,
  outcome: Outcome,
): Promise<Record<string, string>> {
  const values = Object.entries(outcome.setState).map(
    ([name, value]) => [name, value === null ? null : builder.fill(value, outcome)] as const,
  )
  await call.context.setState(Object.fromEntries(values))
  const state: Record<string, string> = Object.assign(Object.create(null) as object, call.memory.state)
  for (const [name, value] of values) {
    if (value === null) delete state[name]
    else state[name] = value
  }
  return state
}

/** The response for the status, example or body of a rule or override; null if none of them is set. */
function byOutcome(
  call: OperationCall,
  builder: ResponseBuilder,
  outcome: Outcome,
  by: { source: string; rule: string | null },
): MockResponse | null {
  const { operation } = call
  if (outcome.status === null && outcome.example === null && outcome.body === undefined) return null
  if (outcome.example !== null) {
    const choice = choiceForExample(operation, outcome.example, outcome.status)
    return choice
      ? builder.fromChoice(choice, { outcome, ...by })
      : noSuchResponse(call, builder, `example "${outcome.example}"`)
  }
  const choice =
    outcome.status === null ? call.live.api.defaultChoice(operation) : choiceForStatus(operation, outcome.status)
  if (outcome.body !== undefined)
    return builder.fromBody(outcome.body, choice, outcome.status ?? choice?.status ?? 200, { outcome, ...by })
  return choice
    ? builder.fromChoice(choice, { outcome, ...by })
    : builder.empty(outcome.status ?? 200, { outcome, ...by })
}

async function bySecurity(call: OperationCall, builder: ResponseBuilder): Promise<MockResponse | null> {
  const { live, incoming, context, operation } = call
  const { security, credentials } = live.parts.settings
  if (security === 'off' || operation.security.length === 0) return null
  const result: SecurityResult = await checkSecurity(live.api.document, operation.security, {
    mock: context.mock,
    header: incoming.header,
    query: incoming.query,
    cookies: incoming.cookies,
    credentials,
    hasClientCertificate: () => context.hasClientCertificate(),
    verifyToken: context.verifyToken,
  })
  if (result.passed) {
    call.credential = result.credential
    return null
  }
  const code: ProblemCode = result.status === 403 ? 'insufficient_scope' : 'unauthorized'
  if (security === 'enforce')
    return builder.reject(code, result.message, {
      headers: result.challenges.map(challenge => ['WWW-Authenticate', challenge]),
    })
  call.violations.push({ in: 'security', path: '', keyword: code, message: result.message })
  return null
}

function byValidation(call: OperationCall, builder: ResponseBuilder): MockResponse | null {
  const { live, incoming, operation, path, context } = call
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
    if (validation === 'enforce') return builder.reject('unsupported_media_type', message, { extra: { supported } })
    call.violations.push({ in: 'header', path: '/content-type', keyword: 'media_type', message })
    return null
  }
  const onSkipped = (reason: string): void => {
    call.skipped ??= reason
  }
  const violations = [
    ...checkParameters(operation, incoming.parameters(path), schemas, sampler.flattener, onSkipped, context.steps),
    ...checkBody(operation, body, schemas, onSkipped, context.steps),
  ].slice(0, 20)
  call.violations.push(...violations)
  if (validation !== 'enforce' || violations.length === 0) return null
  return builder.reject(
    'invalid_request',
    violations.length === 1 ? '1 violation' : `${violations.length} violations`,
    { extra: { errors: violations.map(violation => ({ ...violation })) } },
  )
}

function byPreference(call: OperationCall, builder: ResponseBuilder): MockResponse | null {
  const { preferences, operation } = call
  if (preferences.code === null && preferences.example === null) return null
  const choice =
    preferences.example === null
      ? choiceForStatus(operation, preferences.code ?? 200)
      : choiceForExample(operation, preferences.example, preferences.code)
  if (choice) return builder.fromChoice(choice, { outcome: null, source: null, rule: null })
  return noSuchResponse(
    call,
    builder,
    [
      preferences.code === null ? '' : `response ${preferences.code}`,
      preferences.example === null ? '' : `example "${preferences.example}"`,
    ]
      .filter(Boolean)
      .join(' with '),
  )
}

function noSuchResponse({ operation }: OperationCall, builder: ResponseBuilder, wanted: string): MockResponse {
  const available: Json[] = operation.responses.flatMap(response => [
    response.status,
    ...exampleNames(response).map(name => `${response.status}:${name}`),
  ])
  return builder.problem('no_such_response', `the document has no ${wanted} for "${operation.key}"`, {
    extra: { available },
  })
}

/**
 * Chooses a response by override, example or default. `rule` is a matching rule that chose no response; its
 * modifications apply.
 */
function byOverride(call: OperationCall, builder: ResponseBuilder, rule: Rule | null): MockResponse | null {
  const override = call.live.parts.overrides.effective(call.operation.key)
  if (!override) return null
  if (override.failPercent > 0 && call.context.random() * 100 < override.failPercent) {
    const choice = choiceForStatus(call.operation, override.failStatus)
    const by = { outcome: null, source: 'override', rule: rule?.id ?? null }
    return choice
      ? builder.fromChoice(choice, by)
      : builder.problem('injected_failure', `the override makes ${override.failPercent} percent of the requests fail`, {
          status: override.failStatus,
          source: 'override',
        })
  }
  const outcome = rule ? mergeOutcomes(override.outcome, rule.outcome) : override.outcome
  const by = { source: rule ? `rule:${rule.id}` : 'override', rule: rule?.id ?? null }
  return byOutcome(call, builder, outcome, by) ?? byDocument(call, builder, rule, outcome)
}

/** Merges the modifications of a rule over those of the override. */
function mergeOutcomes(below: Outcome, above: Outcome): Outcome {
  return {
    ...below,
    merge: above.merge ?? below.merge,
    headers: { ...below.headers, ...above.headers },
    mediaType: above.mediaType ?? below.mediaType,
    delayMs: above.delayMs || below.delayMs,
  }
}

function byDocument(
  call: OperationCall,
  builder: ResponseBuilder,
  rule: Rule | null,
  applied: Outcome | null = null,
): MockResponse {
  const { live, operation, incoming, path } = call
  const outcome = applied ?? rule?.outcome ?? null
  const source = rule ? `rule:${rule.id}` : applied ? 'override' : null
  const pairings = live.api.pairings(operation)
  const raw = incoming.parameters(path)
  const valueOf = (place: string, name: string): Json | undefined => {
    const parameter = operation.parameters.find(entry => entry.in === place && entry.name === name)
    return place === 'path' ? path.get(name) : parameter && parameterValue(parameter, raw, live.api.sampler.flattener)
  }
  const paired = pairings.length > 0 ? pairedChoice(pairings, valueOf, call) : undefined
  const choice: Choice | undefined = paired ?? live.api.defaultChoice(operation)
  if (!choice)
    return builder.problem('no_response_defined', `the document defines no response for "${operation.key}"`, {})
  return builder.fromChoice(choice, { outcome, source, rule: rule?.id ?? null })
}

/** Undefined if no example of a request matches, or if comparing takes too many steps. */
function pairedChoice(
  pairings: readonly Pairing[],
  valueOf: (place: string, name: string) => Json | undefined,
  { incoming, context, live }: OperationCall,
): Choice | undefined {
  try {
    const found = findPairings(pairings, valueOf, incoming.json, context.steps)
    return live.renderer.representations.choosePaired(found, incoming.header('accept'))
  } catch (error) {
    if (!isTooExpensive(error)) throw error
    return undefined
  }
}
