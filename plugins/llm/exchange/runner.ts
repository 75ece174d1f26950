/** The way of every provider request, in the order that clients can rely on: a provider only parses and renders. */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { commonHeaders, errorAnswer, errorFacts, nativeHeaders, Refusal, type RefusalFacts } from './error-replies.ts'
import { compute, RuleFault } from './compute.ts'
import { isEnforced, printable } from './credentials.ts'
import type { CompiledRule } from '../engine/rules.ts'
import { isBadInput } from '../errors.ts'
import { Exchange } from './exchange.ts'
import { fires, type FaultWish, type FaultWords } from './faults.ts'
import { framings } from '../streaming/framing.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import type { LlmMetrics } from '../records/metrics.ts'
import { gaps, readLatency, type Latency } from '../streaming/pace.ts'
import type {
  EngineLimits,
  ErrorKind,
  LlmRoute,
  Parsed,
  RenderContext,
  Rendered,
  ResultOf,
  StreamEvent,
} from '../provider.ts'
import { pump, type BreakPoint } from '../streaming/pump.ts'
import type { TokenClock } from '../streaming/token-clock.ts'
import { recordError, recordReply } from '../records/recording.ts'
import type { Records } from '../records/records.ts'
import type { Variables } from '../variables.ts'

/** What the runner shares over all providers of a generation. */
export interface RunnerServices {
  svc: Svc<unknown, Variables>
  limits: EngineLimits
  faults: FaultWords
  rules: readonly CompiledRule[]
  records: Records
  metrics: LlmMetrics
  clock: TokenClock
}

export interface Served {
  instance: ProviderInstance
  route: LlmRoute
  params: Record<string, string>
}

type Result = ResultOf<Parsed>

/** Serves one request from its head to its last byte. Never throws for what a client does. */
export async function run(
  services: RunnerServices,
  served: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { svc } = services
  const exchange = new Exchange(svc, served, services.limits, request, reply)
  try {
    checkCredential(exchange)
    const latency = readLatency(exchange.headers, served.instance.latency, svc.config.maxDelayMs)
    if (latency.latencyMs > 0 && !(await svc.http.delay(request, latency.latencyMs))) return reply
    const wish = rollFault(services, exchange)
    const parsing = served.route.parse(exchange.input())
    const parsed = parsing instanceof Promise ? await parsing : parsing
    const filtered = filterOf(wish, parsed, exchange)
    const computing = compute(parsed, {
      instance: served.instance,
      limits: services.limits,
      rules: services.rules,
      modeHeader: exchange.header('x-svc-mode'),
      filtered,
    })
    const result = computing instanceof Promise ? await computing : computing
    const isStream = parsed.stream === true && served.route.stream !== undefined
    if (!isStream && latency.ttftMs > 0 && !(await svc.http.delay(request, latency.ttftMs))) return reply
    return answer(services, exchange, { parsed, result, latency, wish, isStream })
  } catch (error) {
    return refuse(services, exchange, refusalOf(error, services.faults, exchange))
  }
}

/** A missing credential wins over every fault, and a wrong one too. */
function checkCredential(exchange: Exchange): void {
  const { instance, credential, svc } = exchange
  const { requireAuth } = svc.variables
  const apiKey = instance.demand.apiKey ?? svc.variables.apiKey
  const enforced = isEnforced({ requireAuth: instance.demand.requireAuth || requireAuth, apiKey }, exchange.headers)
  if (enforced) {
    if (credential === null) throw new Refusal('missing_credential')
    if (credential.malformed !== undefined)
      throw new Refusal('invalid_credential', { type: 'malformed', message: credential.malformed })
    if (apiKey !== null && credential.value !== apiKey) throw new Refusal('invalid_credential')
  }
  instance.format.check?.({ headers: exchange.headers, enforced, path: exchange.path })
}

/** Throws the fault that fires; answers the one that acts later: a filtered reply, a broken stream. */
function rollFault({ faults }: RunnerServices, exchange: Exchange): FaultWish | null {
  const header = exchange.header('x-svc-fail')
  if (header !== undefined && faults.parse(header) === null)
    exchange.svc.http.ignoreHeader(
      exchange.request,
      'X-Svc-Fail',
      `expected a status from 400 to 599 or one of ${faults.names().join(', ')}, with or without :<percent>`,
    )
  const wish = faults.ofRequest(header, () => exchange.query, exchange.hasQuery, exchange.instance.fail)
  if (wish === null || !fires(wish)) return null
  if (actsLater(wish, exchange)) return wish
  throw injected(wish, exchange)
}

/** A named filter becomes a reply of text generation, a broken stream needs a stream. */
function actsLater(wish: FaultWish, { route, instance }: Exchange): boolean {
  if (wish.break !== undefined) return true
  if (wish.kind === 'content_filter') return true
  return (
    wish.kind === 'prompt_filter' &&
    wish.status === undefined &&
    instance.format.rendersPromptFilter === true &&
    route.op === 'chat'
  )
}

function sourceOf({ source, label }: FaultWish, { instance }: Exchange): string {
  return source ?? `provider ${instance.name}: ${label}`
}

function acts(wish: FaultWish, exchange: Exchange): void {
  exchange.fault = wish.label
  exchange.faultSource = sourceOf(wish, exchange)
}

function injected(wish: FaultWish, exchange: Exchange): Refusal {
  return new Refusal((wish.kind ?? 'server_error') as ErrorKind, {
    injected: wish.label,
    source: sourceOf(wish, exchange),
    ...(wish.status === undefined ? {} : { status: wish.status }),
    ...(wish.message === undefined ? {} : { message: wish.message }),
  })
}

function filterOf(
  wish: FaultWish | null,
  parsed: Parsed,
  exchange: Exchange,
): 'content_filter' | 'prompt_filter' | undefined {
  if (wish?.kind === undefined || parsed.op !== 'chat') return undefined
  acts(wish, exchange)
  return wish.kind === 'prompt_filter' ? 'prompt_filter' : 'content_filter'
}

interface Answered {
  parsed: Parsed
  result: Result
  latency: Latency
  wish: FaultWish | null
  isStream: boolean
}

function answer(services: RunnerServices, exchange: Exchange, answered: Answered): FastifyReply {
  const { svc, records, metrics } = services
  const { parsed, result, wish, isStream } = answered
  const { reply, request, route, instance } = exchange
  const words = route.finishReasons ?? instance.format.finishReasons
  const nowMs = Date.now()
  const context: RenderContext = {
    requestId: exchange.requestId,
    created: Math.floor(nowMs / 1000),
    nowMs,
    provider: instance.name,
    finishReasons: words,
    limits: services.limits,
    url: path => svc.http.url(request, path),
  }
  const rendered = isStream ? null : route.render(result, parsed, context)
  const streamed = isStream ? eventsOf(route.stream?.(result, parsed, context) ?? [], wish?.break) : null
  if (streamed?.breaksAfter !== undefined) acts(wish!, exchange)
  const recorded = recordReply(exchange, parsed, result, words, isStream, rendered?.status ?? 200)
  if (recorded !== null) records.add(recorded)
  const tokens = { prompt: recorded?.prompt_tokens ?? 0, completion: recorded?.completion_tokens ?? 0 }
  if (exchange.fault !== null) countFault(services, exchange)
  if (recorded !== null && exchange.fault !== 'prompt_filter')
    metrics.served(instance.name, parsed.model ?? '', isStream, tokens.prompt, tokens.completion)
  const headers = commonHeaders(instance, exchange)
  if (parsed.model !== undefined && parsed.op !== 'models')
    headers['x-svc-model'] = printable(parsed.model).slice(0, 256)
  if (result.op === 'chat') headers['x-svc-mode'] = result.mode
  const native = nativeHeaders(instance, exchange, 200, tokens.prompt, tokens.completion)
  if (streamed !== null) {
    reply.headers(headers).headers(native)
    return stream(services.clock, exchange, answered, streamed)
  }
  return sendWhole(reply, rendered!, [headers, native])
}

interface Streamed {
  events: Iterable<StreamEvent>
  /** What breaks it, which is certain to happen; absent: it ends whole. */
  breaksAfter?: BreakPoint
}

/** A break after more tokens than the stream has would not happen: the stream ends whole, and nobody is to read of a fault. */
function eventsOf(events: Iterable<StreamEvent>, wanted: FaultWish['break']): Streamed {
  if (wanted === undefined) return { events }
  const all = [...events]
  const tokens = all.reduce((sum, { paced }) => sum + (paced === true ? 1 : paced || 0), 0)
  return wanted.afterTokens > tokens
    ? { events: all }
    : { events: all, breaksAfter: { ...wanted, isLast: wanted.afterTokens === tokens } }
}

/**
 * Answers in Node's own way, with the headers as a list of names and values: Fastify's would put each of them into an
 * object of the reply first, and that is felt with twenty.
 */
function sendWhole(
  reply: FastifyReply,
  { status = 200, contentType = 'application/json; charset=utf-8', headers, body }: Rendered,
  sources: readonly Record<string, string>[],
): FastifyReply {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const list = ['content-type', contentType, 'content-length', String(Buffer.byteLength(payload))]
  for (const source of headers === undefined ? sources : [...sources, headers])
    for (const name in source) list.push(name, source[name]!)
  reply.hijack()
  reply.raw.writeHead(status, list)
  reply.raw.end(payload)
  return reply
}

const stallMs = { normal: 120_000, public: 20_000 }
const paceMs = { normal: 60_000, public: 20_000 }

function stream(
  clock: TokenClock,
  exchange: Exchange,
  { parsed, result, latency }: Answered,
  { events, breaksAfter }: Streamed,
): FastifyReply {
  const { svc, request, reply, route, instance } = exchange
  const caps = svc.config.publicMode ? 'public' : 'normal'
  const name = route.framingOf?.(parsed) ?? route.framing ?? 'sse'
  const framer = framings[name]
  const headers = {
    'Content-Type': framer.contentType,
    'Cache-Control': 'no-cache',
    'X-Accel-Buffering': 'no',
    ...route.streamHeaders?.(result, parsed),
  }
  const open = framer.contentType.startsWith('text/event-stream') ? svc.streams.sse : svc.streams.body
  const opened = open(request, reply, { status: 200, headers })
  if (opened === null) return reply
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
  pump(opened, events, {
    framer,
    errorEvent,
    clock,
    ttftMs: latency.ttftMs,
    nextGap: gaps(latency, tokens, paceMs[caps], seed),
    stallMs: stallMs[caps],
    destroy: () => svc.http.abortResponse(request, reply),
    fail(error) {
      // The head is out: all that is left is to say so in the log and to cut the reply off.
      svc.log.error('a stream failed while it was rendered', { error, request_id: exchange.requestId })
      svc.http.abortResponse(request, reply)
    },
    ...(breaksAfter === undefined ? {} : { break: breaksAfter }),
  })
  return reply
}

function countFault({ svc, metrics }: RunnerServices, exchange: Exchange): void {
  svc.http.markFault(exchange.request, exchange.reply, 'ai', exchange.faultSource)
  metrics.fault(exchange.instance.name, exchange.fault ?? '')
}

/** What a thrown error means to the client; unexpected ones are thrown on, to the core's 500. */
function refusalOf(error: unknown, faults: FaultWords, exchange: Exchange): { kind: ErrorKind; facts: RefusalFacts } {
  if (error instanceof Refusal) return error
  if (error instanceof RuleFault) {
    const wish = faults.parse(error.fail)
    return injected(
      {
        ...(wish ?? { kind: 'server_error', label: 'server_error', percent: 100 }),
        source: `rule: fail ${error.fail}`,
      },
      exchange,
    )
  }
  if (isBadInput(error)) {
    const { kind = 'bad_request', ...details } = error.details
    return { kind, facts: { ...details, message: error.message } }
  }
  throw error
}

async function refuse(
  services: RunnerServices,
  exchange: Exchange,
  { kind, facts }: { kind: ErrorKind; facts: RefusalFacts },
): Promise<FastifyReply> {
  const { reply, instance } = exchange
  const { status, headers, body } = errorAnswer(instance, exchange, kind, facts)
  exchange.fault = facts.injected ?? null
  exchange.faultSource = facts.source ?? ''
  if (exchange.fault !== null) countFault(services, exchange)
  services.records.add(recordError(exchange, status))
  return reply.code(status).headers(headers).send(JSON.stringify(body))
}
