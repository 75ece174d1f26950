/** Processes every provider request, in an order that clients can rely on. Providers only parse and render. */
import { isOutputError, Pacer } from 'svc/plugin'
import type { FastifyReply, FastifyRequest, Replicated, Svc } from 'svc/plugin'
import {
  commonHeaders,
  errorResponse,
  errorFacts,
  nativeHeaders,
  ProviderError,
  type ErrorDetails,
} from './error-responses.ts'
import { compute, RuleFault } from './compute.ts'
import { isEnforced, printable } from './credentials.ts'
import type { CompiledRule } from '../engine/rules.ts'
import { isBadInput } from '../errors.ts'
import { Exchange, type Generate, type RunItem } from './exchange.ts'
import { fitToWindow } from './context-window.ts'
import { exactReply } from './exact-reply.ts'
import { fires, originOf, type FaultSpec, type FaultParser } from './faults.ts'
import { takeBody, writeBody } from './large-reply.ts'
import { framings } from '../streaming/framing.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import type { LlmMetrics } from '../records/metrics.ts'
import { gaps, MAX_GAPS_MS, readLatency, type Latency } from '../streaming/pace.ts'
import type {
  EngineLimits,
  ErrorKind,
  Framing,
  LlmRoute,
  Parsed,
  RenderContext,
  ReplyPlan,
  Rendered,
  ResultOf,
  StreamEvent,
} from '../provider.ts'
import { chooseShape } from '../shapes/choose-shape.ts'
import { itemOf, showShape, type StreamShape } from '../shapes/shape.ts'
import { shapeEvents } from '../shapes/shape-events.ts'
import { ShapedOutput } from '../shapes/shaped-output.ts'
import { breakAt, type BreakingEvents } from '../streaming/break-point.ts'
import { pump, type BreakPoint, type StreamOutcome } from '../streaming/pump.ts'
import { PlainOutput } from '../streaming/output.ts'
import type { TokenClock } from '../streaming/token-clock.ts'
import { applyRules, failureOfRule, once, replyOfRule } from '../testing/apply.ts'
import type { Finish } from '../neutral.ts'
import type { PlacedRoute } from '../testing/protocol.ts'
import { hasActed, isStrict, missingFixture } from '../testing/strict.ts'
import { recordError, recordReply } from '../records/recording.ts'
import type { AiRecord, Records } from '../records/records.ts'
import { enterSlots } from '../capacity/load.ts'
import type { StatedLoads } from '../inference/stated-load.ts'
import { countServed } from '../inference/count-served.ts'
import { withTokenizer, type Tokenizers } from '../tokenizers/tokenizers.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { showTiming } from '../profiles/timing.ts'
import { NO_PACE, waitBefore } from '../profiles/wait-before.ts'
import { withCache } from '../cache/cached-result.ts'
import type { PromptCache } from '../cache/prompt-cache.ts'
import { reportIgnoredHeaders } from './ignored-headers.ts'
import type { ProviderSettings } from '../providers/options.ts'
import type { Limiter } from '../limits/limiter.ts'
import { endedCall, type Outcome } from '../usage/ended-call.ts'
import type { OpenSockets } from './socket-bounds.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { GenAiMetrics } from '../telemetry/metrics.ts'
import { describeSpan, noteEvents, noteReply } from '../telemetry/span.ts'
import type { Variables } from '../variables.ts'

/** The services that all providers share. */
export interface RunnerServices {
  svc: Svc<unknown, Variables>
  limits: EngineLimits
  faults: FaultParser
  rules: readonly CompiledRule[]
  records: Records
  ledger: Ledger
  limiter: Limiter
  cache: PromptCache
  profiles: Profiles
  tokenizers: Tokenizers
  loads: Replicated<StatedLoads> | null
  /** Settings of formats under their own name, by id. */
  builtin: Readonly<Record<string, ProviderSettings>>
  metrics: LlmMetrics
  genAi: GenAiMetrics
  /** Whether a text generation needs a rule, if its header does not say so. */
  strictFixtures: boolean
  clock: TokenClock
  sockets: OpenSockets
  socketLifetimeMs: number
  /** The route of a path; null if no provider serves it. */
  find(method: string, path: string): PlacedRoute | null
  /** Runs items of batches. */
  runItem: RunItem
  /** Generates for routes that ask for it. */
  generate: Generate
  /** A new request id. */
  newId(): string
}

export interface Served {
  instance: ProviderInstance
  route: LlmRoute
  params: Record<string, string>
}

type Result = ResultOf<Parsed>

/** Bytes of a body that is worth some milliseconds of work: such requests take turns, and others run in between. */
export const LARGE_BODY = 65_536

/** Serves one request. Never throws for a client error. */
export async function run(
  services: RunnerServices,
  served: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { svc } = services
  const exchange = new Exchange(svc, served, services.limits, request, reply)
  exchange.runItem = services.runItem
  exchange.generate = services.generate
  try {
    reportIgnoredHeaders(exchange)
    checkCredential(exchange)
    if (exchange.body.length > LARGE_BODY) await new Pacer().pause()
    const latency = readLatency(exchange.headers, served.instance.latency, svc.config.maxDelayMs)
    if (latency.latencyMs > 0 && !(await svc.http.delay(request, latency.latencyMs)))
      return abandoned(services, exchange, null)
    const fault = rollFault(services, exchange)
    const preparing = services.tokenizers.prepare(exchange)
    if (preparing !== null) exchange.tokenizers = await preparing
    const parse = once(() => served.route.parse(exchange.input()))
    const applying = fault === null ? applyRules(exchange, parse) : null
    const rule = applying === null ? null : await applying
    if (rule?.kind === 'answered') return reply
    exchange.rule = rule?.rule ?? null
    if (rule?.kind === 'fail') throw failureOfRule(rule, services.faults)
    const parsing = parse()
    const read = parsing instanceof Promise ? await parsing : parsing
    exchange.model = read.model ?? null
    exchange.parsedAt = performance.now()
    const isStream = read.stream === true && served.route.stream !== undefined
    const profileText = exchange.header('x-svc-profile')
    const profile = profileText === undefined ? null : services.profiles.ofHeader(profileText)
    const { tokenizers } = exchange
    const parsed = fitToWindow(exchange, tokenizers === null ? read : withTokenizer(read, tokenizers))
    // A filter replaces every reply.
    const replying = fault?.kind === undefined || parsed.op !== 'chat' ? exactReply(exchange, parsed) : null
    const exact = replying === null ? null : await replying
    const looking = services.cache.look(exchange, parsed)
    if (looking !== null) exchange.cacheUse = looking instanceof Promise ? await looking : looking
    const admitting = services.limiter.admit(exchange, parsed)
    if (admitting !== null) exchange.admission = await admitting
    const { slots } = served.instance
    if (slots !== undefined && parsed.op === 'chat' && parsed.isBackground !== true) {
      exchange.load = await enterSlots(exchange, slots)
      if (exchange.load === null) return abandoned(services, exchange, null)
    }
    const filtered = filterOf(fault, parsed, exchange)
    const fixed = exact ?? (rule?.kind === 'reply' ? await replyOfRule(rule, exchange, parsed) : null)
    if (fixed !== null) {
      const paced = readLatency(exchange.headers, { ...served.instance.latency, ...fixed.pace }, svc.config.maxDelayMs)
      const result = await withCache(exchange, parsed, fixed.result)
      const fixedReply = { parsed, ...fixed, result, fault: fault ?? fixed.fault, latency: paced, isStream }
      const waitMs = waitBefore(exchange, withoutWait(fixedReply), profile, fixed.pace)
      if (waitMs > 0 && !(await svc.http.delay(request, waitMs))) return abandoned(services, exchange, fixedReply)
      return await finish(services, exchange, fixedReply)
    }
    if (parsed.op === 'chat' && fault === null && !hasActed(rule) && isStrict(exchange, services.strictFixtures))
      throw await missingFixture(exchange, parsed)
    const computing = compute(parsed, {
      instance: served.instance,
      limits: services.limits,
      rules: services.rules,
      steps: svc.budgets.evaluation(),
      modeHeader: exchange.header('x-svc-mode'),
      filtered,
      output: exchange.output,
    })
    const computed = computing instanceof Promise ? await computing : computing
    const result = exchange.cacheUse === null ? computed : await withCache(exchange, parsed, computed)
    const generated = { parsed, result, latency, fault, isStream }
    const waitMs = waitBefore(exchange, withoutWait(generated), profile, NO_PACE)
    if (waitMs > 0 && !(await svc.http.delay(request, waitMs))) return abandoned(services, exchange, generated)
    return await finish(services, exchange, generated)
  } catch (error) {
    if (exchange.load !== null) countServed(exchange, null, undefined)
    return sendError(services, exchange, errorOf(error, services.faults, exchange))
  }
}

/** Nobody waits for a reply in the background: it is planned like a stream. */
function withoutWait<C extends { parsed: Parsed; isStream: boolean }>(computed: C): C {
  return computed.parsed.isBackground === true ? { ...computed, isStream: true } : computed
}

/** The status of a request whose client disconnected before the response began. */
export const CLIENT_GONE = 499

/**
 * The client disconnected before the response began: the ledger counts what the model had read. `computed` is null if that
 * was nothing.
 */
function abandoned(services: RunnerServices, exchange: Exchange, computed: Computed | null): FastifyReply {
  // The core has responded instead (a timeout), and its response is counted.
  if (exchange.reply.raw.headersSent) return unserved(exchange)
  const recorded =
    computed === null
      ? recordError(exchange, CLIENT_GONE)
      : recordReply(exchange, computed.parsed, computed.result, finishReasonsOf(exchange), false, CLIENT_GONE)
  if (recorded === null) return unserved(exchange)
  services.records.add(recorded)
  enter(services, exchange, {
    ...computed,
    status: CLIENT_GONE,
    errorType: 'client_gone',
    record: recorded,
    isUnsent: true,
  })
  return exchange.reply
}

/** The request is not a call of the model: what was reserved is returned. */
function unserved(exchange: Exchange): FastifyReply {
  exchange.admission?.finish(0, 0)
  if (exchange.load !== null) countServed(exchange, null, undefined)
  return exchange.reply
}

function finishReasonsOf({ route, instance }: Exchange): Record<Finish, string> {
  return route.finishReasons ?? instance.format.finishReasons
}

/** A missing or invalid credential takes precedence over every fault. */
export function checkCredential(exchange: Exchange): void {
  const { instance, credential, svc } = exchange
  const { requireAuth } = svc.variables
  exchange.isRefused = true
  const apiKey = instance.requirement.apiKey ?? svc.variables.apiKey
  const enforced = isEnforced(
    { requireAuth: instance.requirement.requireAuth || requireAuth, apiKey },
    exchange.headers,
  )
  if (enforced) {
    if (credential === null) throw new ProviderError('missing_credential')
    if (credential.malformed !== undefined)
      throw new ProviderError('invalid_credential', { type: 'malformed', message: credential.malformed })
    if (apiKey !== null && credential.value !== apiKey) throw new ProviderError('invalid_credential')
  }
  exchange.isRefused = false
  instance.format.check?.({ headers: exchange.headers, enforced, path: exchange.path })
}

/** Throws the fault that fires, or returns it if it applies later: a filtered reply, a broken stream. */
export function rollFault({ faults }: RunnerServices, exchange: Exchange): FaultSpec | null {
  const header = exchange.header('x-svc-fail')
  if (header !== undefined && faults.parse(header) === null)
    exchange.svc.http.ignoreHeader(
      exchange.request,
      'X-Svc-Fail',
      `expected a status from 400 to 599 or one of ${faults.names().join(', ')}, optionally with :<percent>`,
    )
  const fault = faults.ofRequest(header, () => exchange.query, exchange.hasQuery, exchange.instance.fail)
  if (fault === null || !fires(fault)) return null
  if (appliesLater(fault, exchange)) return fault
  throw injected(fault, exchange)
}

/** A filter requested by name becomes a text reply, and a broken stream needs a stream to break. */
function appliesLater(fault: FaultSpec, { route, instance }: Exchange): boolean {
  if (fault.break !== undefined) return true
  if (fault.kind === 'content_filter') return true
  return (
    fault.kind === 'prompt_filter' &&
    fault.status === undefined &&
    instance.format.rendersPromptFilter === true &&
    route.op === 'chat'
  )
}

function sourceOf({ source, label }: FaultSpec, { instance }: Exchange): string {
  return source ?? `provider ${instance.name}: ${label}`
}

export function recordFault(fault: FaultSpec, exchange: Exchange): void {
  exchange.fault = fault.label
  exchange.faultSource = sourceOf(fault, exchange)
}

function injected(fault: FaultSpec, exchange: Exchange): ProviderError {
  return new ProviderError((fault.kind ?? 'server_error') as ErrorKind, {
    injected: fault.label,
    source: sourceOf(fault, exchange),
    ...(fault.status === undefined ? {} : { status: fault.status }),
    ...(fault.message === undefined ? {} : { message: fault.message }),
  })
}

export function filterOf(
  fault: FaultSpec | null,
  parsed: Parsed,
  exchange: Exchange,
): 'content_filter' | 'prompt_filter' | undefined {
  if (fault?.kind === undefined || parsed.op !== 'chat') return undefined
  recordFault(fault, exchange)
  return fault.kind === 'prompt_filter' ? 'prompt_filter' : 'content_filter'
}

export interface Computed {
  parsed: Parsed
  result: Result
  latency: Latency
  fault: FaultSpec | null
  isStream: boolean
  /** The stream shape of a rule. */
  shape?: StreamShape | null
}

/** Stores what the route keeps, and responds. */
function finish(
  services: RunnerServices,
  exchange: Exchange,
  computed: Computed,
): FastifyReply | Promise<FastifyReply> {
  const { route } = exchange
  const context = renderContext(services, exchange, computed)
  if (route.keep === undefined) return respond(services, exchange, computed, context)
  if (exchange.output.isLarge && !computed.isStream) return finishLarge(services, exchange, computed, context)
  return route
    .keep(computed.result, computed.parsed, context)
    .then(() => respond(services, exchange, computed, context))
}

/** A reply that is counted. */
interface LargeReply {
  rendered: Rendered
  bytes: number
}

/** The content of a file, whose size is known; null for other replies. */
function storedReply(rendered: Rendered): LargeReply | null {
  return rendered.stored === undefined ? null : { rendered, bytes: rendered.stored.bytes }
}

/** Counts the reply before anything is stored or sent. */
async function finishLarge(
  services: RunnerServices,
  exchange: Exchange,
  computed: Computed,
  context: RenderContext,
): Promise<FastifyReply> {
  const { route, output } = exchange
  const { result, parsed } = computed
  const rendered = route.render(result, parsed, context)
  const bytes = await takeBody(output, rendered.body)
  await route.keep?.(result, parsed, context)
  return respond(services, exchange, computed, context, { rendered, bytes })
}

export function renderContext(services: RunnerServices, exchange: Exchange, computed: Computed): RenderContext {
  const { svc } = services
  const { request, instance } = exchange
  const nowMs = Date.now()
  return {
    requestId: exchange.requestId,
    created: Math.floor(nowMs / 1000),
    nowMs,
    provider: instance.name,
    finishReasons: finishReasonsOf(exchange),
    limits: services.limits,
    url: path => svc.http.url(request, path),
    session: svc.http.session(request).key,
    plan: () => replyPlan(exchange, computed),
    output: exchange.output,
  }
}

function replyPlan({ svc, timing }: Exchange, { result, latency, fault }: Computed): ReplyPlan {
  const tokens = result.op === 'chat' ? result.completionTokens : 0
  const maxMs = MAX_GAPS_MS[svc.config.publicMode ? 'public' : 'normal']
  return {
    ttftMs: timing?.ttftMs ?? latency.ttftMs,
    gapMs:
      timing === null
        ? gaps({ ...latency, jitterPercent: 0 }, tokens, maxMs, () => '')()
        : timing.gapsMs / Math.max(1, tokens - 1),
    failsAfter: fault?.break?.what === 'stream_error' ? fault.break.afterTokens : null,
  }
}

function respond(
  services: RunnerServices,
  exchange: Exchange,
  computed: Computed,
  context: RenderContext,
  large: LargeReply | null = null,
): FastifyReply | Promise<FastifyReply> {
  const { records, metrics } = services
  const { parsed, result, isStream } = computed
  const { reply, route, instance } = exchange
  if (reply.raw.destroyed) return abandoned(services, exchange, computed)
  const words = context.finishReasons
  const rendered = isStream ? null : (large?.rendered ?? route.render(result, parsed, context))
  if (rendered !== null && large === null && exchange.output.isLarge)
    return takeBody(exchange.output, rendered.body).then(bytes =>
      respond(services, exchange, computed, context, { rendered, bytes }),
    )
  const streamed = isStream ? streamOf(exchange, computed, context) : null
  if (streamed?.breaksAfter !== undefined) recordFault(streamed.fault!, exchange)
  const recorded = recordReply(exchange, parsed, result, words, isStream, rendered?.status ?? 200)
  if (recorded !== null) records.add(recorded)
  const tokens = { prompt: recorded?.prompt_tokens ?? 0, completion: recorded?.completion_tokens ?? 0 }
  if (exchange.fault !== null) countFault(services, exchange)
  if (recorded !== null && exchange.fault !== 'prompt_filter')
    metrics.served(instance.name, parsed.model ?? '', isStream, tokens.prompt, tokens.completion)
  const headers = commonHeaders(instance, exchange)
  if (parsed.model !== undefined && parsed.op !== 'models')
    headers['x-svc-model'] = printable(parsed.model).slice(0, 256)
  const mode = result.op === 'chat' || result.op === 'embed' ? result.mode : undefined
  if (mode !== undefined) headers['x-svc-mode'] = mode
  if (exchange.timing !== null && result.op === 'chat')
    headers['x-svc-timing'] = showTiming(exchange.timing, {
      queueMs: exchange.queueMs,
      tokens: result.completionTokens,
      load: exchange.load?.shown ?? null,
    })
  const native = nativeHeaders(instance, exchange, 200, tokens.prompt, tokens.completion)
  if (streamed !== null) {
    reply.headers(headers).headers(native)
    return stream(services, exchange, computed, streamed, recorded)
  }
  noteReply(exchange, rendered!)
  const counted = large ?? storedReply(rendered!)
  if (counted === null) sendWhole(reply, rendered!, [headers, native])
  else sendLarge(services, exchange, counted, [headers, native])
  if (recorded !== null) enter(services, exchange, { status: recorded.status, record: recorded, parsed, result })
  return reply
}

/** The response has ended: the ledger and the metrics count it, and its buckets are paid. */
export function enter({ ledger, genAi }: RunnerServices, exchange: Exchange, outcome: Outcome): void {
  const call = endedCall(exchange, outcome)
  describeSpan(exchange, outcome, call)
  genAi.ended(exchange, call)
  if (exchange.load !== null) countServed(exchange, call, outcome.isUnsent === true ? undefined : outcome.result)
  exchange.admission?.finish(call.prompt_tokens, call.completion_tokens)
  exchange.admission = null
  ledger.add(call)
}

export interface Streamed {
  framing: Framing
  /** Its items act; null: the events are written as they are. */
  shape: StreamShape | null
  events: Iterable<StreamEvent>
  /** Where the stream breaks, and the fault that breaks it; absent: it completes. */
  breaksAfter?: BreakPoint
  fault?: FaultSpec | null
}

const ERROR_FIRST: FaultSpec = {
  label: 'stream_error',
  break: { what: 'stream_error', afterTokens: 0 },
  percent: 100,
  source: 'X-Svc-Stream-Shape: error-first',
}

export function streamOf(
  exchange: Exchange,
  { parsed, result, fault, shape }: Computed,
  context: RenderContext,
): Streamed {
  const { route } = exchange
  const framing = route.framingOf?.(parsed) ?? route.framing ?? 'sse'
  const plain = route.stream?.(result, parsed, context) ?? []
  const chosen = chooseShape(exchange, framing, shape ?? null)
  const tokens = result.op === 'chat' ? result.completionTokens : 0
  // A stream with fewer tokens than the break point completes, and no fault is reported.
  const eventsOf = (events: Iterable<StreamEvent>, wanted: FaultSpec['break']): BreakingEvents =>
    wanted === undefined ? { events } : breakAt(events, wanted, tokens)
  if (chosen === null) return { framing, shape: null, ...eventsOf(plain, fault?.break), fault }
  if (itemOf(chosen.shape, 'error-first') !== undefined)
    return { framing, shape: chosen.shape, ...eventsOf([], ERROR_FIRST.break), fault: ERROR_FIRST }
  const events = shapeEvents(plain, chosen.shape, chosen.shapes, result.op === 'chat' ? result : null)
  return { framing, shape: chosen.shape, ...eventsOf(events, fault?.break), fault }
}

/**
 * Sends through Node's response with a flat list of headers. For about twenty headers this is measurably faster than
 * Fastify's reply, which copies each of them into an object first.
 */
function sendWhole(reply: FastifyReply, rendered: Rendered, sources: readonly Record<string, string>[]): void {
  const { body } = rendered
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  sendHead(reply, rendered, Buffer.byteLength(payload), sources)
  reply.raw.end(payload)
}

function sendHead(
  reply: FastifyReply,
  { status = 200, contentType = 'application/json; charset=utf-8', headers }: Rendered,
  bytes: number,
  sources: readonly Record<string, string>[],
): void {
  const list = ['content-type', contentType, 'content-length', String(bytes)]
  for (const source of headers === undefined ? sources : [...sources, headers])
    for (const name in source) list.push(name, source[name]!)
  reply.hijack()
  reply.raw.writeHead(status, list)
}

function sendLarge(
  { svc }: RunnerServices,
  { request, reply, requestId }: Exchange,
  { rendered, bytes }: LargeReply,
  sources: readonly Record<string, string>[],
): void {
  sendHead(reply, rendered, bytes, sources)
  writeBody(reply, rendered).catch((error: unknown) => {
    svc.log.error('writing a reply failed', { error, request_id: requestId })
    svc.http.abortResponse(request, reply)
  })
}

export const stallMs = { normal: 120_000, public: 20_000 }
/** Bytes that the shape `split=byte` writes one by one. */
const singleBytes = { normal: 16_384, public: 4096 }

function stream(
  services: RunnerServices,
  exchange: Exchange,
  { parsed, result, latency }: Computed,
  { framing, shape, events, breaksAfter }: Streamed,
  recorded: AiRecord | null,
): FastifyReply {
  const { clock, ledger } = services
  const { svc, request, reply, route, instance } = exchange
  const caps = svc.config.publicMode ? 'public' : 'normal'
  const framer = framings[framing]
  const headers = {
    'Content-Type': framer.contentType,
    'Cache-Control': 'no-cache',
    'X-Accel-Buffering': 'no',
    ...route.streamHeaders?.(result, parsed),
    ...(shape === null ? {} : shapeHeaders(shape)),
  }
  const open = framer.contentType.startsWith('text/event-stream') ? svc.streams.sse : svc.streams.body
  const opened = open(request, reply, { status: 200, headers })
  if (opened === null) return unserved(exchange)
  const tokens = result.op === 'chat' ? result.completionTokens : 0
  const seed = (): string => (result.op === 'chat' ? `${parsed.model}\0${result.prompt}` : '')
  const errorEvent = () => {
    const facts = errorFacts(instance, exchange, 'server_error', { injected: 'stream_error' })
    return (
      (route.streamError ?? instance.format.streamError)?.(facts) ?? {
        data: instance.format.error('server_error', facts).body,
      }
    )
  }
  ledger.streamOpened()
  pump(opened, noteEvents(exchange, events), {
    output:
      shape === null
        ? new PlainOutput(opened, framer, clock.now)
        : new ShapedOutput(opened, { shape, framing, now: clock.now, maxSingleBytes: singleBytes[caps] }),
    ended(outcome: StreamOutcome) {
      ledger.streamEnded()
      if (recorded !== null)
        enter(services, exchange, { status: 200, record: recorded, parsed, result, stream: outcome })
    },
    errorEvent,
    ending: parsed.ending,
    clock,
    ttftMs: exchange.timing?.ttftMs ?? latency.ttftMs,
    nextGap: exchange.timing?.nextGap ?? gaps(latency, tokens, MAX_GAPS_MS[caps], seed),
    stallMs: stallMs[caps],
    destroy: () => svc.http.abortResponse(request, reply),
    fail(error) {
      // The headers are already sent: log the error and abort the response.
      svc.log.error('rendering a stream failed', { error, request_id: exchange.requestId })
      svc.http.abortResponse(request, reply)
    },
    ...(breaksAfter === undefined ? {} : { break: breaksAfter }),
  })
  return reply
}

function shapeHeaders(shape: StreamShape): Record<string, string> {
  const type = itemOf(shape, 'type')
  return {
    'X-Svc-Stream-Shape': showShape(shape),
    ...(type === undefined ? {} : { 'Content-Type': type === 'json' ? 'application/json' : 'text/plain' }),
  }
}

function countFault({ svc, metrics }: RunnerServices, exchange: Exchange): void {
  const { request, reply, faultSource } = exchange
  svc.http.markFault(request, reply, 'ai', faultSource, originOf(faultSource))
  metrics.fault(exchange.instance.name, exchange.fault ?? '')
}

/** Converts a thrown error into an error response; rethrows unexpected errors, which become a 500. */
export function errorOf(
  error: unknown,
  faults: FaultParser,
  exchange: Exchange,
): { kind: ErrorKind; facts: ErrorDetails } {
  if (error instanceof ProviderError) return error
  if (error instanceof RuleFault) {
    const fault = faults.parse(error.fail)
    return injected(
      {
        ...(fault ?? { kind: 'server_error', label: 'server_error', percent: 100 }),
        source: `rule: fail ${error.fail}`,
      },
      exchange,
    )
  }
  if (isOutputError(error)) {
    const { message } = error
    return error.statusCode === 503
      ? { kind: 'unavailable', facts: { status: 503, message, retryAfterSecs: 1 } }
      : { kind: 'bad_request', facts: { message } }
  }
  if (isBadInput(error)) {
    const { kind = 'bad_request', ...details } = error.details
    return { kind, facts: { ...details, message: error.message } }
  }
  throw error
}

async function sendError(
  services: RunnerServices,
  exchange: Exchange,
  { kind, facts }: { kind: ErrorKind; facts: ErrorDetails },
): Promise<FastifyReply> {
  const { reply, instance } = exchange
  const { status, headers, body } = errorResponse(instance, exchange, kind, facts)
  exchange.fault = facts.injected ?? null
  exchange.faultSource = facts.source ?? ''
  if (exchange.fault !== null) countFault(services, exchange)
  services.records.add(recordError(exchange, status))
  const outcome = { status, errorType: facts.injected ?? kind }
  if (exchange.isRefused) describeSpan(exchange, outcome, null)
  else enter(services, exchange, outcome)
  return reply.code(status).headers(headers).send(JSON.stringify(body))
}
