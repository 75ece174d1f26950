/** One request to a provider route. Parts of it are read lazily, and once. */
import { type FastifyReply, type FastifyRequest, type OutputBudget, type RequestSpan, type Svc } from 'svc/plugin'
import { isRecord, isTextNestedWithin } from 'svc/toolkit'
import type { ResponseContext } from './error-responses.ts'
import { findCredential, header, showCredential, type Credential } from './credentials.ts'
import { BadInput } from '../errors.ts'
import { readReplyMembers } from './reply-header.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import type { LlmRoute, RequestHeaders, RouteInput } from '../provider.ts'
import type { ChatResult, NeutralRequest } from '../neutral.ts'
import type { EngineLimits, ItemReply, RunItemOptions } from '../provider.ts'
import type { RequestTokenizers } from '../tokenizers/tokenizers.ts'
import type { Load } from '../capacity/load.ts'
import type { Timing } from '../profiles/timing.ts'
import type { CacheUse } from '../cache/prompt-cache.ts'
import type { Admission } from '../limits/limiter.ts'
import type { LimitState } from '../limits/bucket.ts'
import type { Variables } from '../variables.ts'

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
}

export type Generate = (outer: Exchange, request: NeutralRequest) => Promise<ChatResult>

export type RunItem = (outer: Exchange, path: string, body: object, options: RunItemOptions) => Promise<ItemReply>

const NO_BODY = Buffer.alloc(0)

/** Rejects deeper JSON, which could overflow the stack of recursive code. */
const maxJsonDepth = 200

export class Exchange implements ResponseContext {
  readonly svc: Svc<unknown, Variables>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly instance: ProviderInstance
  readonly route: LlmRoute
  readonly params: Record<string, string>
  readonly limits: EngineLimits
  readonly startedAt = performance.now()
  readonly requestId: string
  readonly instanceId: string
  readonly credential: Credential | null
  /** Masked, for records and `X-Svc-Credential`. */
  readonly shownCredential: string
  /** Label of the fault that fired. */
  fault: string | null = null
  /** Name of the rule that acted on the request. */
  rule: string | null = null
  /** The source of the fault, such as a header. */
  faultSource = ''
  /** The requested model, once it is known. */
  model: string | null = null
  /** The limit that refused the request. */
  limited: string | null = null
  /** What the rate limits have left; null: nothing limits the request. */
  rateLimits: LimitState | null = null
  /** Its buckets, until they are paid. */
  admission: Admission | null = null
  /** What it reads from the prompt cache and writes to it; null: nothing is cached. */
  cacheUse: CacheUse | null = null
  /** Its tokenizers; null: the rule of the engine. */
  tokenizers: RequestTokenizers | null = null
  /** How it runs among others; null: its provider has no slots. */
  load: Load | null = null
  /** Its planned timing; null: by `Latency` alone. */
  timing: Timing | null = null
  /** When the request was parsed, on the clock of `startedAt`. */
  parsedAt = 0
  /** Time in the queue. */
  queueMs = 0
  /** Its span; null if none is recorded, or if it is part of another request. */
  readonly span: RequestSpan | null
  /** Id of the reply, for the span. */
  replyId: string | null = null
  /** Runs items of batches; set by what creates the exchange. */
  runItem: RunItem | null = null
  generate: Generate | null = null
  /** The route has generated. */
  hasGenerated = false
  /** The request is not a call of the model: its credential was rejected. */
  isRefused = false
  readonly inner: InnerRequest | null
  #output: OutputBudget | null = null
  #query: URLSearchParams | undefined
  #bodyText: string | undefined

  constructor(
    svc: Svc<unknown, Variables>,
    served: { instance: ProviderInstance; route: LlmRoute; params: Record<string, string> },
    limits: EngineLimits,
    request: FastifyRequest,
    reply: FastifyReply,
    inner: InnerRequest | null = null,
  ) {
    this.svc = svc
    this.inner = inner
    this.instance = served.instance
    this.route = served.route
    this.params = served.params
    this.limits = limits
    this.request = request
    this.reply = reply
    this.requestId = inner?.requestId ?? svc.http.requestId(request)
    this.instanceId = svc.instance.id
    this.span = inner === null ? svc.http.span(request) : null
    const { credentials } = served.instance.format
    const rules = served.route.credentials === undefined ? credentials : [...credentials, ...served.route.credentials]
    this.credential = findCredential(rules, this.headers, () => this.query)
    this.shownCredential = showCredential(this.credential)
  }

  /** The budget of the answer. What runs a request within another one releases it. */
  get output(): OutputBudget {
    const { budgets } = this.svc
    return (this.#output ??= this.inner === null ? budgets.output(this.request) : budgets.detachedOutput())
  }

  get headers(): RequestHeaders {
    return this.inner?.headers ?? this.request.headers
  }

  header(name: string): string | undefined {
    return header(this.headers, name)
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
      json: () => parseObject(this.bodyText(), instance.format.messages?.bad_request),
      session: svc.http.session(request).key,
      provider: instance.name,
      basePath: instance.basePath,
      ignoreHeader: (name, expected) => svc.http.ignoreHeader(request, name, expected),
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
      models: instance.models,
      storesResponses: instance.storesResponses !== false,
      replyMembers: () => readReplyMembers(this.headers),
    }
    if (instance.batchPlan !== undefined) input.batchPlan = instance.batchPlan
    if (this.inner?.data !== undefined) input.socketData = this.inner.data
    if (instance.contextWindow !== undefined) input.contextWindow = instance.contextWindow
    if (this.tokenizers !== null) input.tokenizerOf = this.tokenizers
    if (instance.defaultModel !== undefined) input.defaultModel = instance.defaultModel
    return input
  }
}

const notJson = 'the request body must be a JSON object'

/** Parses a JSON object, whatever the content type. Throws for anything else. */
export function parseObject(text: string, message: string = notJson): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BadInput(message)
  }
  if (!isRecord(value)) throw new BadInput(message)
  if (!isTextNestedWithin(text, maxJsonDepth)) throw new BadInput(message)
  return value
}
