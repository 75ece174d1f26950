/** Runs requests within another one: messages on a socket, and items of a batch. */
import { setTimeout as wait } from 'node:timers/promises'
import { Pacer, replaceParameters } from 'svc/plugin'
import type { BodyStream, FastifyReply, FastifyRequest, MessageRule, StreamEnd } from 'svc/plugin'
import type { ProviderInstance } from '../providers/instance.ts'
import type { ItemReply, LlmRoute, Parsed, Rendered, RunItemOptions, SocketRun, StreamEvent } from '../provider.ts'
import { recordError, recordReply } from '../records/recording.ts'
import { withCache } from '../cache/cached-result.ts'
import { enterSlots } from '../capacity/load.ts'
import { countServed } from '../inference/count-served.ts'
import { NO_PACE, waitBefore } from '../profiles/wait-before.ts'
import { gaps, MAX_GAPS_MS, readLatency, type Latency } from '../streaming/pace.ts'
import { pump, type StreamOutcome } from '../streaming/pump.ts'
import type { StreamOutput, Written } from '../streaming/output.ts'
import { withTokenizer } from '../tokenizers/tokenizers.ts'
import { tokensOf } from '../streaming/tokens-of.ts'
import { applyRulesToInner, failureOfRule, once, replyOfRule } from '../testing/apply.ts'
import { hasActed, isStrict } from '../testing/strict.ts'
import { withAudio } from './audio-tokens.ts'
import { compute } from './compute.ts'
import { fitToWindow } from './context-window.ts'
import { takeBody } from './large-reply.ts'
import { errorFacts, errorResponse, ProviderError } from './error-responses.ts'
import { exactReply } from './exact-reply.ts'
import { Exchange, type InnerRequest, type RunItem } from './exchange.ts'
import {
  CLIENT_GONE,
  enter,
  errorOf,
  filterOf,
  LARGE_BODY,
  recordFault,
  renderContext,
  rollFault,
  stallMs,
  streamOf,
  type Computed,
  type RunnerServices,
} from './runner.ts'

/** The request that contains others, with the provider that serves it. */
export interface OuterRequest {
  instance: ProviderInstance
  request: FastifyRequest
  reply: FastifyReply
}

/** Creates what runs the items of batches: without faults, rate limits or delays. */
export function createRunItem(services: () => RunnerServices): RunItem {
  return (outer, path, body, options) => {
    const { routes } = outer.instance.format
    const route =
      routes.find(candidate => candidate.method === 'POST' && candidate.path === path) ??
      // The last of several: a provider lists the paths without further parameters last.
      routes.findLast(candidate => candidate.method === 'POST' && isEndOf(path, candidate.path))
    if (route === undefined) throw new Error(`the provider ${outer.instance.name} has no route POST ${path}`)
    return runItem(services(), outer, { route, params: options.params ?? {} }, { path, body, ...options })
  }
}

/** Routes render JSON as an object or as text. */
function objectOf(body: Rendered['body']): object {
  return typeof body === 'object' && !Buffer.isBuffer(body) ? body : (JSON.parse(body.toString()) as object)
}

function isEndOf(path: string, whole: string): boolean {
  return whole.endsWith(path) && !whole.includes('{')
}

async function runItem(
  services: RunnerServices,
  outer: OuterRequest,
  placed: { route: LlmRoute; params: Record<string, string> },
  item: { path: string; body: object } & RunItemOptions,
): Promise<ItemReply> {
  const exchange = innerExchange(services, outer, placed, {
    requestId: services.newId(),
    method: 'POST',
    path: outer.instance.basePath + replaceParameters(placed.route.path, ({ name }) => placed.params[name] ?? ''),
    body: Buffer.from(JSON.stringify(item.body)),
    headers: { 'content-type': 'application/json' },
    batch: item.batch,
  })
  try {
    const computed = await computeInner(services, exchange, { isLimited: false })
    const { parsed, result } = computed
    const context = renderContext(services, exchange, computed)
    const { output } = exchange
    const large = output.isLarge ? placed.route.render(result, parsed, context) : null
    // Counts the reply before anything is stored.
    if (large !== null) await takeBody(output, large.body)
    await placed.route.keep?.(result, parsed, context)
    const rendered = large ?? placed.route.render(result, parsed, context)
    const { status = 200, body } = rendered
    if (large === null && output.isLarge) await takeBody(output, body)
    if (item.isCounted) {
      const recorded = recordReply(exchange, parsed, result, context.finishReasons, false, status)
      if (recorded !== null) {
        services.records.add(recorded)
        enter(services, exchange, { status, record: recorded, parsed, result })
      }
    }
    return { status, body: objectOf(body), requestId: exchange.requestId }
  } catch (error) {
    const { kind, facts } = errorOf(error, services.faults, exchange)
    const { status, body } = errorResponse(outer.instance, exchange, kind, facts)
    if (item.isCounted) {
      services.records.add(recordError(exchange, status))
      enter(services, exchange, { status })
    }
    return { status, body, requestId: exchange.requestId }
  } finally {
    exchange.output.release()
  }
}

const NO_LATENCY: Latency = { latencyMs: 0, ttftMs: 0, tokensPerSecond: 0, jitterPercent: 0 }

/** The reply to a request without faults of headers, slots and waiting. */
export async function computeInner(
  services: RunnerServices,
  exchange: Exchange,
  { isLimited }: { isLimited: boolean },
): Promise<Computed> {
  if (exchange.body.length > LARGE_BODY) await new Pacer().pause()
  exchange.tokenizers = await services.tokenizers.prepare(exchange)
  const parse = once(() => exchange.route.parse(exchange.input()))
  const rule = await ruleFor(services, exchange, parse, { canAbort: false })
  const read = await parse()
  exchange.model = read.model ?? null
  exchange.parsedAt = performance.now()
  const parsed = fitToWindow(exchange, exchange.tokenizers === null ? read : withTokenizer(read, exchange.tokenizers))
  exchange.cacheUse = await services.cache.look(exchange, parsed)
  if (isLimited) exchange.admission = (await services.limiter.admit(exchange, parsed)) ?? null
  return computeWith(services, exchange, { parsed, rule, latency: NO_LATENCY, fault: null, isStream: false })
}

/** The rule that acts on the request; throws its failure. */
async function ruleFor(
  { faults }: RunnerServices,
  exchange: Exchange,
  parse: () => Parsed | Promise<Parsed>,
  options: { canAbort: boolean },
): Promise<MessageRule | null> {
  const rule = await applyRulesToInner(exchange, parse, options)
  exchange.rule = rule?.rule ?? null
  if (rule?.kind === 'fail') throw failureOfRule(rule, faults)
  return rule
}

/** The reply that the request or a rule names, or else that of the engine. */
async function computeWith(
  services: RunnerServices,
  exchange: Exchange,
  given: Omit<Computed, 'result' | 'shape'> & { rule: MessageRule | null },
): Promise<Computed & { pace: Partial<Latency> }> {
  const { parsed, rule, latency, fault, isStream } = given
  const filtered = filterOf(fault, parsed, exchange)
  const exact = filtered === undefined ? await exactReply(exchange, parsed) : null
  const fixed = exact ?? (rule?.kind === 'reply' ? await replyOfRule(rule, exchange, parsed) : null)
  if (fixed !== null) {
    const { instance, svc, headers } = exchange
    const named = { parsed, ...fixed }
    return {
      ...named,
      result: await withCache(exchange, named.parsed, named.result),
      fault: fault ?? fixed.fault,
      latency:
        latency === NO_LATENCY
          ? latency
          : readLatency(headers, { ...instance.latency, ...fixed.pace }, svc.config.maxDelayMs),
      isStream,
    }
  }
  if (parsed.op === 'chat' && fault === null && !hasActed(rule) && isStrict(exchange, services.strictFixtures))
    throw new ProviderError('not_found', { message: 'no fixture matches' })
  const computed = await compute(parsed, computeOptions(services, exchange, filtered))
  return { parsed, result: await withCache(exchange, parsed, computed), latency, fault, isStream, pace: NO_PACE }
}

export interface MessageOptions {
  path: string
  body: object
  data?: unknown
  signal: AbortSignal
  send(event: StreamEvent): void
  /** Sends a frame that is not JSON. */
  sendBroken(event: StreamEvent): void
  /** Whether to wait for `ready` before sending more. */
  readonly isFull: boolean
  /** Resolves when more can be sent. */
  ready(): Promise<void>
  destroy(): void
}

/** Runs a message on a socket, and sends the events of its reply at their pace. */
export async function runMessage(
  services: RunnerServices,
  outer: OuterRequest,
  placed: { route: LlmRoute; params: Record<string, string> },
  options: MessageOptions,
): Promise<SocketRun> {
  const { svc, limiter } = services
  const exchange = innerExchange(services, outer, placed, {
    requestId: services.newId(),
    method: 'WS',
    path: options.path,
    body: Buffer.from(JSON.stringify(options.body)),
    ...(options.data === undefined ? {} : { data: options.data }),
  })
  try {
    const latency = readLatency(exchange.headers, outer.instance.latency, svc.config.maxDelayMs)
    const profileText = exchange.header('x-svc-profile')
    const profile = profileText === undefined ? null : services.profiles.ofHeader(profileText)
    const fault = rollFault(services, exchange)
    if (exchange.body.length > LARGE_BODY) await new Pacer().pause()
    exchange.tokenizers = await services.tokenizers.prepare(exchange)
    const parse = once(() => placed.route.parse(exchange.input()))
    const rule = fault === null ? await ruleFor(services, exchange, parse, { canAbort: true }) : null
    if (rule !== null && rule.delayMs > 0)
      await wait(rule.delayMs, undefined, { signal: options.signal }).catch(() => {})
    if (rule?.kind === 'abort') {
      exchange.fault = 'abort'
      exchange.faultSource = `rule ${rule.rule}`
      services.metrics.fault(outer.instance.name, 'abort')
      options.destroy()
    }
    const read = await parse()
    exchange.model = read.model ?? null
    exchange.parsedAt = performance.now()
    // The history of a socket is not in the body.
    if (exchange.output.isLarge) await new Pacer().pause()
    const parsed = fitToWindow(exchange, exchange.tokenizers === null ? read : withTokenizer(read, exchange.tokenizers))
    exchange.cacheUse = await services.cache.look(exchange, parsed)
    exchange.admission = (await limiter.admit(exchange, parsed)) ?? null
    const { slots } = outer.instance
    if (slots !== undefined && parsed.op === 'chat') {
      exchange.load = await enterSlots(exchange, slots)
      if (exchange.load === null) throw new ProviderError('server_error', { status: CLIENT_GONE })
    }
    const silent = await computeWith(services, exchange, { parsed, rule, latency, fault, isStream: true })
    const computed = { ...silent, result: withAudio(silent.parsed, silent.result) }
    const waitMs = waitBefore(exchange, computed, profile, computed.pace)
    if (waitMs > 0) await wait(waitMs, undefined, { signal: options.signal }).catch(() => {})
    const context = renderContext(services, exchange, computed)
    await placed.route.keep?.(computed.result, computed.parsed, context)
    const outcome = await sendEvents(services, exchange, computed, context, options)
    return {
      kind: 'sent',
      isWhole: outcome.isWhole,
      parsed: computed.parsed,
      result: computed.result,
      limits: exchange.rateLimits,
    }
  } catch (error) {
    if (exchange.load !== null) countServed(exchange, null, undefined)
    const { kind, facts } = errorOf(error, services.faults, exchange)
    const { status, headers, body } = errorResponse(outer.instance, exchange, kind, facts)
    exchange.fault = facts.injected ?? null
    if (exchange.fault !== null) services.metrics.fault(outer.instance.name, exchange.fault)
    services.records.add(recordError(exchange, status))
    enter(services, exchange, { status })
    return { kind: 'error', status, headers, body }
  } finally {
    exchange.output.release()
  }
}

export function innerExchange(
  { svc, limits }: RunnerServices,
  { instance, request, reply }: OuterRequest,
  { route, params }: { route: LlmRoute; params: Record<string, string> },
  inner: InnerRequest,
): Exchange {
  return new Exchange(svc, { instance, route, params }, limits, request, reply, inner)
}

function computeOptions(
  { limits, rules, svc }: RunnerServices,
  exchange: Exchange,
  filtered: ReturnType<typeof filterOf>,
): Parameters<typeof compute>[1] {
  const { instance, output } = exchange
  const steps = svc.budgets.evaluation()
  return { instance, limits, rules, steps, modeHeader: exchange.header('x-svc-mode'), filtered, output }
}

function sendEvents(
  services: RunnerServices,
  exchange: Exchange,
  computed: Computed,
  context: ReturnType<typeof renderContext>,
  options: MessageOptions,
): Promise<StreamOutcome> {
  const { svc, clock, records, metrics } = services
  const { parsed, result, latency } = computed
  const { instance, route } = exchange
  const streamed = streamOf(exchange, computed, context)
  if (streamed.breaksAfter !== undefined) {
    recordFault(streamed.fault!, exchange)
    metrics.fault(instance.name, exchange.fault ?? '')
  }
  const recorded = recordReply(exchange, parsed, result, context.finishReasons, true, 200)
  if (recorded !== null) {
    records.add(recorded)
    metrics.served(instance.name, parsed.model ?? '', true, recorded.prompt_tokens, recorded.completion_tokens)
  }
  const caps = svc.config.publicMode ? 'public' : 'normal'
  const tokens = result.op === 'chat' ? result.completionTokens : 0
  exchange.forgetBody()
  const stream = new MessageStream(options)
  return new Promise((resolve, reject) => {
    pump(stream, streamed.events, {
      output: new MessageOutput(stream, options, clock.now),
      clock,
      ttftMs: exchange.timing?.ttftMs ?? latency.ttftMs,
      nextGap: exchange.timing?.nextGap ?? gaps(latency, tokens, MAX_GAPS_MS[caps], () => exchange.requestId),
      stallMs: stallMs[caps],
      errorEvent() {
        const facts = errorFacts(instance, exchange, 'server_error', { injected: 'stream_error' })
        return (
          (route.streamError ?? instance.format.streamError)?.(facts) ?? {
            data: instance.format.error('server_error', facts).body,
          }
        )
      },
      destroy: () => options.destroy(),
      fail: reject,
      ended(outcome) {
        if (recorded !== null)
          enter(services, exchange, { status: 200, record: recorded, parsed, result, stream: outcome })
        resolve(outcome)
      },
      ...(streamed.breaksAfter === undefined ? {} : { break: streamed.breaksAfter }),
    })
  })
}

/** The stream of one message: the socket stays open when it ends. */
class MessageStream implements BodyStream {
  closed = false
  readonly signal: AbortSignal
  readonly over: Promise<StreamEnd>
  readonly pendingBytes = 0
  readonly #options: MessageOptions
  readonly #controller = new AbortController()
  #end!: (reason: StreamEnd) => void

  constructor(options: MessageOptions) {
    this.#options = options
    this.signal = this.#controller.signal
    this.over = new Promise(resolve => {
      this.#end = resolve
    })
    const stop = (): void => this.#close('client')
    if (options.signal.aborted) stop()
    else options.signal.addEventListener('abort', stop, { once: true })
    void this.over.then(() => options.signal.removeEventListener('abort', stop))
  }

  write(): boolean {
    return true
  }

  ready(): Promise<void> {
    return this.#options.ready()
  }

  end(): void {
    this.#close('done')
  }

  #close(reason: StreamEnd): void {
    if (this.closed) return
    this.closed = true
    this.#end(reason)
    this.#controller.abort(reason)
  }
}

/** Events sent before the socket's buffer is checked. */
const EVENTS_PER_TURN = 64

class MessageOutput implements StreamOutput {
  readonly written: Written = { events: 0, tokens: 0, firstTokenAt: null }
  isWritable = true
  readonly #stream: BodyStream
  readonly #options: MessageOptions
  readonly #now: () => number

  constructor(stream: BodyStream, options: MessageOptions, now: () => number) {
    this.#stream = stream
    this.#options = options
    this.#now = now
  }

  begin(): void {}

  add(event: StreamEvent): void {
    const { written } = this
    this.#options.send(event)
    written.events += 1
    written.tokens += tokensOf(event)
    if (written.firstTokenAt === null && written.tokens > 0) written.firstTokenAt = this.#now()
    this.isWritable = written.events % EVENTS_PER_TURN !== 0 && !this.#options.isFull
  }

  addExtra(event: StreamEvent, isBroken: boolean): void {
    if (isBroken) this.#options.sendBroken(event)
    else this.#options.send(event)
  }

  flush(): void {}

  writeAll(): Promise<void> {
    return this.ready()
  }

  async ready(): Promise<void> {
    this.isWritable = true
    await this.#options.ready()
  }

  end(): void {
    this.#stream.end()
  }
}
