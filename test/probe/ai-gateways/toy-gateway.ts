/** A gateway of models that translates by the neutral form, and keeps every rule unless a fault says otherwise. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, gunzipSync } from 'node:zlib'
import type {
  EmbeddingReply,
  EmbeddingRequest,
  Part,
  Reply,
  Request,
  Tool,
  Wire,
  WireAnswer,
  WireError,
  WireRequest,
} from '../../../plugins/probe/wires/types.ts'
import { WIRES, wireOf } from '../../../plugins/probe/wires/wires.ts'
import { afterFallback, ToyLedger, ToyReplicas, type Features } from './features.ts'
import { guardedReply, guardedRequest, type Guard } from './guard.ts'
import { EMBEDDING_WRITERS } from './replies/embeddings.ts'
import type { ReplyWriter } from './replies/writer.ts'
import { REPLY_WRITERS } from './replies/writers.ts'
import { ReplyStream } from './reply-stream.ts'
import { bodyOf, callUpstream } from './upstream-call.ts'

/** What one wrong gateway does; data, so that others are added as rows. */
export interface GatewayFault {
  request?(request: Request): Request
  reply?(reply: Reply, isStream: boolean): Reply
  /** `reply` is only called with complete replies. */
  needsWhole?: boolean
  /** Of the reply of a turn that the client sends back. */
  remembered?(parts: Part[]): Part[]
  /** All events of a stream. */
  events?(events: (string | Buffer)[]): (string | Buffer)[]
  error?(error: WireError, isStream: boolean): WireError
  /** Status of an error before the first byte of a stream, in place of its own. */
  streamErrorStatus?: number
  count?(tokens: number): number
  embeddingRequest?(request: EmbeddingRequest): EmbeddingRequest
  embedding?(reply: EmbeddingReply): EmbeddingReply
  /** What a stream becomes whose upstream breaks; default: its connection is broken. */
  onBreak?: 'complete' | 'again' | 'event' | 'end'
  /** The upstream is not left when the client leaves. */
  ignoresLeaving?: 'plain' | 'stream'
  /** How long the upstream is not asked after a 404. */
  outOfServiceMs?: number
  /** How the pieces of a stream of the upstream are joined. */
  joinStream?(chunks: readonly Buffer[]): Buffer
  /** The native request as it is sent. */
  native?(request: WireRequest): WireRequest
}

export interface ToyOptions {
  upstream: string
  /** The upstream wire of each model. */
  models: Readonly<Record<string, string>>
  fault?: GatewayFault
  guard?: Guard
  features?: Features
}

export interface ToyGateway {
  url: string
  close(): Promise<void>
}

/** One request of a client. */
interface Exchange {
  client: Wire
  to: Wire
  model: string
  writer: ReplyWriter
  native: WireRequest
  credential: string
  response: ServerResponse
}

/** What the upstream answered. */
interface Forwarded {
  /** Null: an error. */
  reply: Reply | null
  error: WireError | null
  /** Data of the events of a stream. */
  events: readonly string[]
  /** Whether it came to its end. */
  isWhole: boolean
}

/** Client wires are at `/openai/v1`, `/anthropic`, `/gemini` and `/bedrock`, as svc has them below `/ai`. */
export async function startToyGateway(options: ToyOptions): Promise<ToyGateway> {
  const gateway = new ToyServer(options)
  const server = createServer((message, response) => {
    gateway.serve(message, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class ToyServer {
  readonly #upstream: string
  readonly #models: Readonly<Record<string, string>>
  readonly #fault: GatewayFault
  readonly #guard: Guard | undefined
  readonly #features: Features
  readonly #cache = new Map<string, Forwarded>()
  readonly #ledger: ToyLedger | null
  readonly #replicas: ToyReplicas | null
  /** Replies with calls, by the ids of their calls: clients of some wires can't send all of them back. */
  readonly #remembered = new Map<string, Part[]>()
  #calls = 0
  /** Until then the upstream is not asked. */
  #outUntilMs = 0

  constructor({ upstream, models, fault = {}, guard, features = {} }: ToyOptions) {
    this.#upstream = upstream
    this.#models = models
    this.#fault = fault
    this.#guard = guard
    this.#features = features
    this.#ledger = features.ledger === undefined ? null : new ToyLedger(features.ledger)
    this.#replicas = features.replicas === undefined ? null : new ToyReplicas(features.replicas)
  }

  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = message
    if (method === 'GET' && url.endsWith('/models'))
      return answer(response, 200, { data: Object.keys(this.#models).map(id => ({ id })) })
    if (this.#ledger !== null && url.startsWith('/spend/')) {
      const entry = this.#ledger.entry(url)
      return answer(response, entry === null ? 404 : 200, entry ?? {})
    }
    const body = await bodyOf(message)
    const fields = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as const)
    const native: WireRequest = { method, path: url, fields, body }
    const found = wireOf(WIRES, method, url)
    const model = found === null ? '' : modelOf(found.wire, native)
    const to = WIRES.find(({ id }) => id === this.#models[model])
    const writer = found === null ? undefined : REPLY_WRITERS[found.wire.id]
    if (found === null || to === undefined || writer === undefined)
      return answer(response, 404, { error: { message: 'no such route', type: 'not_found' } })
    const credential = String(message.headers.authorization ?? message.headers['x-api-key'] ?? '')
    const exchange = { client: found.wire, to, model, writer, native, credential, response }
    if (found.operation === 'count') return this.#count(exchange)
    return found.operation === 'embed' ? this.#embed(exchange) : this.#generate(exchange)
  }

  async #generate(exchange: Exchange): Promise<void> {
    const { client, to, model, writer, native, credential, response } = exchange
    const fault = this.#fault
    const read = client.readRequest(native)
    const allowed = this.#guard === undefined ? read : await guardedRequest(read, client.id, this.#guard)
    if (allowed === null) return this.#fail(response, writer, refused('stopped'), false)
    const passed = this.#recalled(fault.request?.(allowed) ?? allowed)
    const vendors = passed.tools.find(({ vendor }) => vendor !== undefined)
    if (vendors !== undefined && to.limits.request.has('vendor-tools'))
      return this.#fail(response, writer, refused(`${model} has no ${vendors.name}`), false)
    const isStream = passed.stream
    if (performance.now() < this.#outUntilMs) return this.#fail(response, writer, OUT_OF_SERVICE, isStream)
    const key = this.#features.cache?.key(read, credential)
    const known = key === undefined ? undefined : this.#cache.get(key)
    let stream: ReplyStream | null = null
    const id = `call-${(this.#calls += 1)}`
    const isCoded = isStream && this.#features.keepsCoding === 'field'
    const own: Record<string, string> = {
      ...(this.#ledger === null ? {} : { 'x-call-id': id }),
      ...(isCoded ? { 'content-encoding': 'gzip' } : {}),
    }
    const opened = (fields: Record<string, string> = {}): ReplyStream =>
      (stream ??= new ReplyStream(response, writer, {
        model,
        fields: { ...own, ...fields },
        change: fault.events?.bind(fault),
      }))
    const { beatsMs } = this.#features
    if (beatsMs !== undefined && isStream) {
      opened()
      beat(response, beatsMs)
    }
    const came =
      known ??
      (await this.#attempted(exchange, passed, part => {
        if (!isStream || (part.body.length === 0 && stream === null)) return
        const { reply, error } = to.readStream(part)
        if (error === null && reply.parts.length > 0) opened().pass(fault.reply?.(reply, true) ?? reply)
      }))
    this.#ledger?.enter(id, came?.reply ?? null, came?.isWhole === true)
    if (came === null) return void response.destroy()
    if (came.error?.status === 404) this.#outUntilMs = performance.now() + (fault.outOfServiceMs ?? 0)
    if (came.reply === null) return this.#fail(response, writer, came.error!, isStream)
    if (key !== undefined) this.#cache.set(key, came)
    const guarded =
      this.#guard === undefined
        ? came.reply
        : guardedReply(came.reply, came.events, { client: client.id, guard: this.#guard })
    if (guarded === null) return this.#fail(response, writer, refused('stopped'), false)
    const reply = this.#named(guarded)
    const kept = known === undefined ? undefined : this.#features.cache?.kept?.(reply, isStream)
    const changed = kept ?? fault.reply?.(reply, isStream) ?? reply
    const cost = reply.usage === null ? undefined : this.#features.cost?.(reply.usage)
    const fields: Record<string, string> = { ...own, ...(cost === undefined ? {} : { 'x-cost': String(cost) }) }
    if (!isStream) return answer(response, 200, writer.whole(changed, model), fields)
    if (came.isWhole) return opened(fields).end(changed)
    this.#break(opened(fields), writer, changed, response)
  }

  /** The answer of the upstream, or of its second deployment. Null: there was none. `onPart`: see `UpstreamOptions`. */
  async #attempted(
    { client, to, model, native, response }: Exchange,
    request: Request,
    onPart: (part: WireAnswer) => void,
  ): Promise<Forwarded | null> {
    const { fallback, keepsCoding, cache, cost, betas } = this.#features
    const joinStream = keepsCoding === 'field' ? withoutCoding : this.#fault.joinStream
    const written = to.writeRequest(withSchemaMember(request, to), {
      model,
      stream: request.stream,
      marks: 'prompt_cache_breakpoint',
    })
    const own = client.id === 'responses' && to.id === 'responses' ? withState(written, native) : written
    const translated = betas !== undefined && to.id === 'converse' ? withBetas(own, native, betas) : own
    const changed = this.#fault.native?.(translated) ?? translated
    const sent =
      keepsCoding !== undefined
        ? { ...changed, fields: [...changed.fields, ['accept-encoding', 'gzip'] as const] }
        : changed
    const leaving = new AbortController()
    response.on('close', () => {
      const ignored = this.#fault.ignoresLeaving === (request.stream ? 'stream' : 'plain')
      if (!response.writableFinished && !ignored) leaving.abort()
    })
    // These need the complete reply.
    const isPassed =
      this.#fault.needsWhole !== true && ![this.#guard, fallback, cache, cost].some(one => one !== undefined)
    const credential = this.#replicas?.choose(sent.body.toString('utf8'))
    const once = (): Promise<Forwarded | null> =>
      callUpstream(this.#upstream, to, sent, {
        signal: leaving.signal,
        ...(credential === undefined ? {} : { credential }),
        ...(isPassed ? { onPart } : {}),
        ...(request.stream && joinStream !== undefined ? { join: joinStream } : {}),
      }).then(
        came => forwarded(to, came, request.stream),
        () => null,
      )
    const first = await once()
    if (credential !== undefined && first?.reply != null) this.#replicas!.keep(statesOf(first.reply), credential)
    if (fallback === undefined || first?.isWhole === true) return first
    const second = await once()
    if (second === null || second.reply === null) return second
    return { ...second, reply: afterFallback(first?.reply ?? null, second.reply, fallback) }
  }

  #break(stream: ReplyStream, writer: ReplyWriter, reply: Reply, response: ServerResponse): void {
    const { onBreak } = this.#fault
    const whole = { ...reply, finish: 'stop' }
    if (onBreak === 'complete') stream.end(whole)
    else if (onBreak === 'again') stream.again(whole)
    else if (onBreak === 'end') response.end()
    else if (onBreak === 'event') stream.fail(writer.errorEvent(BROKEN))
    else response.destroy()
  }

  #fail(response: ServerResponse, writer: ReplyWriter, error: WireError, isStream: boolean): void {
    const passed = this.#fault.error?.(error, isStream) ?? error
    if (isStream && this.#fault.streamErrorStatus !== undefined) {
      response.writeHead(this.#fault.streamErrorStatus, { 'Content-Type': writer.streamType })
      return void response.end(writer.errorEvent(passed))
    }
    const { body, fields = {} } = writer.error(passed)
    const retry: Record<string, string> = passed.retryAfter === null ? {} : { 'Retry-After': passed.retryAfter }
    answer(response, passed.status, body, { ...fields, ...retry })
  }

  async #count({ client, to, model, writer, native, response }: Exchange): Promise<void> {
    if (to.count === undefined || writer.count === undefined)
      return answer(response, 404, { error: { message: 'nothing counts here', type: 'not_found' } })
    const written = to.count.write(client.readRequest(native), { model, marks: 'none' })
    const came = await callUpstream(this.#upstream, to, written, { signal: new AbortController().signal })
    const error = to.readError(came)
    if (error !== null) return this.#fail(response, writer, error, false)
    const tokens = to.count.read(came) ?? 0
    answer(response, 200, writer.count(this.#fault.count?.(tokens) ?? tokens))
  }

  async #embed({ client, to, model, writer, native, response }: Exchange): Promise<void> {
    const write = EMBEDDING_WRITERS[client.id]
    if (to.embeddings === undefined || write === undefined)
      return answer(response, 404, { error: { message: 'no embeddings here', type: 'not_found' } })
    const read = client.embeddings!.readRequest(native)
    const written = to.embeddings.write(this.#fault.embeddingRequest?.(read) ?? read, model)
    const came = await callUpstream(this.#upstream, to, written, { signal: new AbortController().signal })
    const error = to.readError(came)
    if (error !== null) return this.#fail(response, writer, error, false)
    const reply = to.embeddings.readReply(came)
    answer(response, 200, write(this.#fault.embedding?.(reply) ?? reply, read, model))
  }

  /** Gemini gives calls no ids; clients of other wires need them. */
  #named(reply: Reply): Reply {
    const parts = reply.parts.map(part =>
      part.type === 'call' ? { ...part, id: part.id ?? `call_toy_${(this.#calls += 1)}` } : part,
    )
    for (const part of parts) if (part.type === 'call') this.#remembered.set(part.id!, parts)
    return { ...reply, parts }
  }

  /** Turns of the assistant as they came. */
  #recalled(request: Request): Request {
    const turns = request.turns.map(turn => {
      if (turn.role !== 'assistant') return turn
      const call = turn.parts.find(part => part.type === 'call')
      const known = call?.type === 'call' ? this.#remembered.get(call.id ?? '') : undefined
      return known === undefined ? turn : { ...turn, parts: this.#fault.remembered?.(known) ?? known }
    })
    return { ...request, turns }
  }
}

/** Comments while nothing else is sent. */
function beat(response: ServerResponse, everyMs: number): void {
  const timer = setInterval(() => response.writableEnded || response.write(': toy\n\n'), everyMs)
  response.on('close', () => clearInterval(timer))
}

/** What the neutral form has no word for: where the conversation is kept. */
function withState(written: WireRequest, native: WireRequest): WireRequest {
  const { store, previous_response_id } = JSON.parse(native.body.toString('utf8')) as Record<string, unknown>
  const body = { ...(JSON.parse(written.body.toString('utf8')) as object), store, previous_response_id }
  return { ...written, body: Buffer.from(JSON.stringify(body)) }
}

/** Features that Claude takes in Bedrock. */
const TAKEN = ['interleaved-thinking-2025-05-14']

function withBetas(written: WireRequest, { fields }: WireRequest, which: 'taken' | 'all'): WireRequest {
  const named = fields.find(([name]) => name === 'anthropic-beta')?.[1].split(',') ?? []
  const anthropic_beta = which === 'all' ? named : named.filter(beta => TAKEN.includes(beta))
  const body = JSON.parse(written.body.toString('utf8')) as object
  const more = anthropic_beta.length === 0 ? {} : { additionalModelRequestFields: { anthropic_beta } }
  return { ...written, body: Buffer.from(JSON.stringify({ ...body, ...more })) }
}

/** As much as there is of a stream, whether it is compressed or not. */
function withoutCoding(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat(chunks)
  return body[0] === 0x1f ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body
}

/** What only the deployment that wrote a reply knows. */
function statesOf({ id, parts }: Reply): string[] {
  const sealed = parts.flatMap(part => (part.type === 'thinking' ? (part.signature ?? []) : []))
  return [...(id === null ? [] : [id]), ...sealed]
}

function forwarded(to: Wire, came: WireAnswer, isStream: boolean): Forwarded {
  const error = to.readError(came)
  if (error !== null) return { reply: null, error, events: [], isWhole: false }
  if (!isStream) return { reply: to.readReply(came), error, events: [], isWhole: came.isComplete }
  const { reply, error: broken, isEnded, events } = to.readStream(came)
  const isWhole = came.isComplete && broken === null && isEnded
  return { reply, error, events: events.map(({ data }) => data), isWhole }
}

const BROKEN: WireError = {
  status: 500,
  class: 'server',
  type: 'server_error',
  code: null,
  message: 'the provider broke off',
  retryAfter: null,
  isOfWire: true,
  isRaised: true,
  isContextLength: false,
}

/** `parameters` of Gemini take few keywords, and refuse the others. */
function withSchemaMember(request: Request, { limits }: Wire): Request {
  if (limits.schemaKeywords === null) return request
  const tools = request.tools.map((tool): Tool => ({ schemaMember: 'parametersJsonSchema', ...tool }))
  return { ...request, tools }
}

const OUT_OF_SERVICE: WireError = { ...BROKEN, status: 429, class: 'limit', message: 'no deployment is in service' }

const refused = (message: string): WireError => ({
  ...BROKEN,
  status: 400,
  class: 'client',
  type: 'invalid_request_error',
  message,
})

function modelOf(wire: Wire, native: WireRequest): string {
  const named = wire.readRequest(native).model
  return named ?? wire.embeddings?.readRequest(native).model ?? ''
}

function answer(response: ServerResponse, status: number, body: object, fields: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', Server: 'toy', ...fields })
  response.end(JSON.stringify(body))
}
