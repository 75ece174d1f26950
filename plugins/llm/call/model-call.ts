/** A call of a mock model, with what its steps find out. Parts of the request are read lazily, and once. */
import type { FastifyReply, FastifyRequest, MessageRule, OutputBudget, RequestSpan, RuleOutcome, Svc } from 'svc/plugin'
import type { CacheUse } from '../cache/prompt-cache.ts'
import type { Load } from '../capacity/slots.ts'
import { isBadInput } from '../contract/errors.ts'
import type { LimitState } from '../contract/limit-state.ts'
import type { ChatResult, Finish, NeutralRequest } from '../contract/neutral.ts'
import type { Parsed, ResultOf } from '../contract/parsed.ts'
import type { RequestHeaders } from '../contract/provider.ts'
import type {
  EngineLimits,
  ItemReply,
  LlmRoute,
  ProviderRoute,
  Rendered,
  RouteInput,
  RunItemOptions,
} from '../contract/route.ts'
import type { Framing, StreamEvent } from '../contract/stream.ts'
import type { Violation } from '../contract/validation.ts'
import { MARK } from '../directives/line.ts'
import { readDirectives, type ReadDirectives } from '../directives/prompt-lines.ts'
import { parseObject } from '../engine/json-body.ts'
import { findCredential, header, showCredential, type Credential } from '../headers/credentials.ts'
import type { FaultSpec } from '../headers/faults.ts'
import { readReplyMembers } from '../headers/reply-header.ts'
import type { Admission } from '../limits/limiter.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Timing } from '../profiles/timing.ts'
import { listedModels, type ProviderInstance } from '../providers/instance.ts'
import type { Variables } from '../providers/variables.ts'
import type { AiRecord } from '../records/records.ts'
import type { StreamShape } from '../shapes/shape.ts'
import { NO_LATENCY, NO_PACE, type Latency } from '../streaming/pace.ts'
import type { BreakPoint } from '../streaming/pump.ts'
import type { RequestTokenizers } from '../tokenizers/tokenizers.ts'
import type { Strictness } from '../validation/level.ts'
import type { CallValidation } from '../validation/violations.ts'
import type { EntryPoint, Recipient } from './entry-point.ts'
import type { ResponseContext } from './error-responses.ts'
import type { CallServices } from './services.ts'

/** What a request within another one has of its own: a message on a socket, an item of a batch. */
export interface InnerRequest {
  requestId: string
  /** In the record: `WS` for messages on a socket. */
  method: string
  path: string
  body: Buffer
  headers?: RequestHeaders
  /** Passed to the route. */
  data?: unknown
  /** The batch whose item it is. */
  batch?: string
  /** Records, metrics and the ledger count it. */
  isCounted: boolean
}

export type Generate = (outer: ModelCall, request: NeutralRequest) => Promise<ChatResult>

export type RunItem = (outer: ModelCall, path: string, body: object, options: RunItemOptions) => Promise<ItemReply>

/** A route at a path, with the provider that serves it. */
export interface Served {
  instance: ProviderInstance
  route: ProviderRoute
  params: Record<string, string>
}

const NO_BODY = Buffer.alloc(0)
const NO_ITEMS: StreamShape = []
const NO_DIRECTIVES: Pick<ReadDirectives, 'found' | 'turn'> = { found: [], turn: 0 }

/** A reply that a rule or the request names. */
export interface FixedReply {
  result: ResultOf<Parsed>
  /** The pace where the request's headers say nothing. */
  pace: Partial<Latency>
  /** The shape of a stream where the request names none. */
  shape: StreamShape | null
  /** How the stream breaks. */
  fault: FaultSpec | null
}

/** A complete reply. */
export interface WholeReply {
  rendered: Rendered
  /** Its bytes, if they were counted; null: it is small. */
  bytes: number | null
}

/** The events of a reply, as they are written. */
export interface StreamedEvents {
  framing: Framing
  /** Its items act; null: the events are written as they are. */
  shape: StreamShape | null
  events: Iterable<StreamEvent>
  /** Where the stream breaks, and the fault that breaks it; absent: it completes. */
  breaksAfter?: BreakPoint
  fault: FaultSpec | null
}

/**
 * A call of a mock model: an HTTP request, a message on a socket, an item of a batch, or a generation within a request.
 * The steps of `path/call-path.ts` fill its fields, in their order.
 */
export class ModelCall implements ResponseContext {
  readonly svc: Svc<unknown, Variables>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly instance: ProviderInstance
  readonly route: ProviderRoute
  readonly params: Record<string, string>
  readonly limits: EngineLimits
  readonly readsDirectives: boolean
  readonly entry: EntryPoint
  /** What a call within a request has of its own; null: it is the request. */
  readonly inner: InnerRequest | null
  /** Set before the first step. */
  recipient: Recipient | null = null
  readonly startedAt = performance.now()
  readonly requestId: string
  readonly instanceId: string
  readonly credential: Credential | null
  /** Masked, for records and `X-Svc-Credential`. */
  readonly shownCredential: string
  /** Its span; null if none is recorded, or if it is part of another request. */
  readonly span: RequestSpan | null
  /** Runs items of batches, and generates; null within another request. */
  readonly runItem: RunItem | null
  readonly generate: Generate | null

  /** The request is not a call of the model: its credential was rejected. */
  isRefused = false
  latency: Latency = NO_LATENCY
  /** The fault that fired and applies later; null: none did. */
  requestedFault: FaultSpec | null = null
  /** Label of the fault that acted. */
  fault: string | null = null
  /** The source of the fault, such as a header. */
  faultSource = ''
  /** The fault that the metrics have counted. */
  countedFault: string | null = null
  /** Its tokenizers; null: the rule of the engine. */
  tokenizers: RequestTokenizers | null = null
  /** What the rules of the instance say, and the name of the rule that acted. */
  ruleOutcome: RuleOutcome | MessageRule | null = null
  rule: string | null = null
  /** How strictly it is checked, if a rule says it. */
  strictnessOfRule: Strictness | null = null
  /** What checking it found, if the response shows it. */
  validation: CallValidation | null = null
  /** Its violations without regard to the level; null: not checked yet. */
  foundViolations: readonly Violation[] | null = null
  /** The stream shape that a rule has chosen. */
  shapeOfRule: StreamShape | null = null
  /** The request as the route has parsed it, and as later steps change it; null: not yet. */
  parsed: Parsed | null = null
  /** The directives of its prompt, once it is parsed, and the number of assistant messages. */
  directives: Pick<ReadDirectives, 'found' | 'turn'> = NO_DIRECTIVES
  /** The latency and the fault of its provider wait for the directives. */
  defersLatency = false
  defersFault = false
  /** The request itself asks for a fault, whether it fires or not. */
  asksForFault = false
  /** The directives that apply to it, as `X-Svc-Directive` shows them. */
  shownDirective: string | null = null
  /** Headers that its directives stand for; null: none acts. */
  directiveHeaders: ReadonlyMap<string, string> | null = null
  /** When it was parsed, on the clock of `startedAt`. */
  parsedAt = 0
  /** The requested model, once it is known. */
  model: string | null = null
  isStream = false
  /** The route has generated. */
  hasGenerated = false
  /** The latency profile that the request names. */
  profile: Profile | null = null
  /** The reply that the request names (`X-Svc-Reply`); null: none. */
  exact: FixedReply | null = null
  /** What it reads from the prompt cache and writes to it; null: nothing is cached. */
  cacheUse: CacheUse | null = null
  /** What the rate limits have left; null: nothing limits the request. */
  rateLimits: LimitState | null = null
  /** Its buckets, until they are paid. */
  admission: Admission | null = null
  /** The limit that refused the request. */
  limited: string | null = null
  /** How it runs among others; null: its provider has no slots. */
  load: Load | null = null
  /** Time in the queue. */
  queueMs = 0
  /** The computed result; null: not yet. */
  result: ResultOf<Parsed> | null = null
  /** The pace and the stream shape that an exact reply or the reply of a rule has. */
  paceOfReply: Partial<Latency> = NO_PACE
  shapeOfReply: StreamShape | null = null
  /** The shape that its header names, once it was read. */
  shapeOfHeader: StreamShape | null = null
  /** The reply depends on the content codings that the client accepts. */
  varies = false
  /** The items that act on its complete reply. */
  shapeOfWhole: StreamShape = NO_ITEMS
  /** How its stream breaks; null: it does not. */
  breaking: FaultSpec | null = null
  /** Its planned timing; null: by `Latency` alone. */
  timing: Timing | null = null
  /** What is sent: a complete reply or a stream. */
  whole: WholeReply | null = null
  streamed: StreamedEvents | null = null
  /** Its record; null: it has none. */
  recorded: AiRecord | null = null
  /** Id of the reply, for the span. */
  replyId: string | null = null
  #output: OutputBudget | null = null
  #query: URLSearchParams | undefined
  #bodyText: string | undefined
  #headers: RequestHeaders | null = null
  #parse: (() => Parsed | Promise<Parsed>) | null = null
  #json: (() => Record<string, unknown>) | null = null

  /** `inner`: what it has of its own within the request; null: it is the request. */
  constructor(
    {
      svc,
      limits,
      runItem,
      generate,
      readsDirectives,
    }: Pick<CallServices, 'svc' | 'limits' | 'runItem' | 'generate' | 'readsDirectives'>,
    { instance, route, params }: Served,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    entry: EntryPoint,
    inner: InnerRequest | null = null,
  ) {
    this.svc = svc
    this.limits = limits
    this.readsDirectives = readsDirectives
    this.instance = instance
    this.route = route
    this.params = params
    this.request = request
    this.reply = reply
    this.entry = entry
    this.inner = inner
    this.requestId = inner?.requestId ?? svc.http.requestId(request)
    this.instanceId = svc.instance.id
    this.span = inner === null ? svc.http.span(request) : null
    this.runItem = inner === null ? runItem : null
    this.generate = inner === null ? generate : null
    const { credentials } = instance.format
    const rules = route.credentials === undefined ? credentials : [...credentials, ...route.credentials]
    this.credential = findCredential(rules, this.headers, () => this.query)
    this.shownCredential = showCredential(this.credential)
  }

  /** Names what is ignored, and why, in `X-Svc-Ignored`. Bound, since steps pass it on. */
  readonly ignore = (name: string, reason: string): void => this.svc.http.ignoreHeader(this.request, name, reason)

  /** The route as a call of the model; null: it answers by itself. */
  get modelRoute(): LlmRoute | null {
    return this.route.parse === undefined ? null : this.route
  }

  get finishReasons(): Record<Finish, string> {
    return this.modelRoute?.finishReasons ?? this.instance.format.finishReasons
  }

  /** Whether records, metrics and the ledger count it. */
  get isCounted(): boolean {
    return this.inner === null ? !this.isProbed : this.inner.isCounted
  }

  /** A probe of gateways has claimed the request, so it is not traffic of a client. */
  get isProbed(): boolean {
    return this.svc.use('core.tap').isServed(this.request)
  }

  /**
   * Parses the request, once: an error is thrown again each time. Only for calls of the model. The result has no
   * directives, which are kept in `directives`.
   */
  parse(): Parsed | Promise<Parsed> {
    this.#parse ??= once(() => {
      const parsing = this.modelRoute!.parse(this.input())
      if (!this.readsDirectives) return parsing
      return parsing instanceof Promise
        ? parsing.then(parsed => this.#takeDirectives(parsed))
        : this.#takeDirectives(parsing)
    })
    return this.#parse()
  }

  #takeDirectives(read: Parsed): Parsed {
    const { parsed, found, turn } = readDirectives(read)
    if (found.length > 0) this.directives = { found, turn }
    return parsed
  }

  /** Whether the body has what every directive contains. */
  get mayHoldDirective(): boolean {
    return this.readsDirectives && this.modelRoute !== null && this.body.includes(MARK)
  }

  /** From now on the request has these headers too. */
  addHeaders(added: ReadonlyMap<string, string>): void {
    this.directiveHeaders = added
    this.#headers = { ...this.receivedHeaders, ...Object.fromEntries(added) }
  }

  /** The budget of the answer. What runs a request within another one releases it. */
  get output(): OutputBudget {
    const { budgets } = this.svc
    return (this.#output ??= this.inner === null ? budgets.output(this.request) : budgets.detachedOutput())
  }

  /** Its headers, with those that its directives stand for. */
  get headers(): RequestHeaders {
    return this.#headers ?? this.receivedHeaders
  }

  get receivedHeaders(): RequestHeaders {
    return this.inner?.headers ?? this.request.headers
  }

  header(name: string): string | undefined {
    return header(this.headers, name)
  }

  /** A header of the request itself, also in a call within it. */
  outerHeader(name: string): string | undefined {
    return header(this.request.headers, name) ?? this.directiveHeaders?.get(name)
  }

  get method(): string {
    return this.inner?.method ?? this.request.method
  }

  get url(): string {
    return this.inner?.path ?? this.request.raw.url ?? ''
  }

  get hasQuery(): boolean {
    return this.url.includes('?')
  }

  get query(): URLSearchParams {
    if (this.#query === undefined) {
      const at = this.url.indexOf('?')
      this.#query = new URLSearchParams(at < 0 ? '' : this.url.slice(at + 1))
    }
    return this.#query
  }

  get path(): string {
    const at = this.url.indexOf('?')
    return at < 0 ? this.url : this.url.slice(0, at)
  }

  get body(): Buffer {
    return this.inner?.body ?? this.svc.http.body(this.request)
  }

  /** The body as text; decoded once for both the route and the record. */
  bodyText(): string {
    return (this.#bodyText ??= this.body.toString('utf8'))
  }

  /** The body as text, if it has been decoded. */
  get readText(): string | undefined {
    return this.#bodyText
  }

  /** The body as a JSON object, parsed once. Throws `BadInput` for anything else. */
  json(): Record<string, unknown> {
    this.#json ??= once(() => parseObject(this.bodyText(), this.instance.format.messages?.bad_request))
    return this.#json()
  }

  /** The body as a JSON object; null: the route says what is wrong with it. */
  jsonOrNull(): Record<string, unknown> | null {
    try {
      return this.json()
    } catch (error) {
      if (isBadInput(error)) return null
      throw error
    }
  }

  /** The route has read the body: its values are not kept while the reply is sent. */
  forgetJson(): void {
    this.#json = null
  }

  /** A request within another one is parsed and recorded: its body is not kept while its reply is sent. */
  forgetBody(): void {
    if (this.inner === null) return
    this.#bodyText = undefined
    this.inner.body = NO_BODY
  }

  /** The input for the route's `parse`: plain values that providers may copy. */
  input(): RouteInput {
    const { svc, request, instance } = this
    const input: RouteInput = {
      method: this.method,
      headers: this.headers,
      params: this.params,
      query: this.query,
      body: this.body,
      json: () => this.json(),
      session: svc.http.session(request).key,
      provider: instance.name,
      basePath: instance.basePath,
      ignoreHeader: this.ignore,
      runItem: (path, body, options) => {
        if (this.runItem === null) throw new Error('items of batches have no items')
        return this.runItem(this, path, body, options)
      },
      generate: generation => {
        if (this.generate === null) throw new Error('a request within another one generates nothing further')
        this.hasGenerated = true
        return this.generate(this, generation)
      },
      isUpgrade: request.ws && this.inner === null,
      url: path => svc.http.url(request, path),
      output: () => this.output,
      limits: this.limits,
      credential: this.credential,
      models: listedModels(instance),
      storesResponses: instance.storesResponses !== false,
      replyMembers: () => readReplyMembers(this.headers),
    }
    if (instance.startupMs !== undefined && process.uptime() * 1000 < instance.startupMs) input.isStarting = true
    if (instance.batchPlan !== undefined) input.batchPlan = instance.batchPlan
    if (this.inner?.data !== undefined) input.socketData = this.inner.data
    if (instance.reasoningMember !== undefined) input.reasoningMember = instance.reasoningMember
    if (instance.contextWindow !== undefined) input.contextWindow = instance.contextWindow
    if (this.tokenizers !== null) input.tokenizerOf = this.tokenizers
    if (instance.defaultModel !== undefined) input.defaultModel = instance.defaultModel
    return input
  }
}

/** Calls a function at most once; an error is thrown again each time. */
function once<T>(compute: () => T): () => T {
  let run: (() => T) | undefined
  return () => {
    if (run === undefined) {
      try {
        const value = compute()
        run = () => value
      } catch (error) {
        run = () => {
          throw error
        }
      }
    }
    return run()
  }
}
