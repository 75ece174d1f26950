/** A gateway of models that translates by the neutral form, and keeps every rule unless a fault says otherwise. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  EmbeddingReply,
  EmbeddingRequest,
  Part,
  Reply,
  Request,
  Wire,
  WireError,
  WireRequest,
} from '../../../plugins/probe/wires/types.ts'
import { WIRES, wireOf } from '../../../plugins/probe/wires/wires.ts'
import { EMBEDDING_WRITERS } from './replies/embeddings.ts'
import type { ReplyWriter } from './replies/writer.ts'
import { REPLY_WRITERS } from './replies/writers.ts'
import { ReplyStream } from './reply-stream.ts'
import { bodyOf, callUpstream } from './upstream-call.ts'

/** What one wrong gateway does; data, so that others are added as rows. */
export interface GatewayFault {
  request?(request: Request): Request
  reply?(reply: Reply, isStream: boolean): Reply
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
  /** The native request as it is sent. */
  native?(request: WireRequest): WireRequest
}

export interface TranslatingOptions {
  upstream: string
  /** The upstream wire of each model. */
  models: Readonly<Record<string, string>>
  fault?: GatewayFault
}

export interface TranslatingGateway {
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
  response: ServerResponse
}

/** Client wires are at `/openai/v1`, `/anthropic`, `/gemini` and `/bedrock`, as svc has them below `/ai`. */
export async function startTranslatingGateway({
  upstream,
  models,
  fault = {},
}: TranslatingOptions): Promise<TranslatingGateway> {
  const gateway = new TranslatingServer(upstream, models, fault)
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

class TranslatingServer {
  readonly #upstream: string
  readonly #models: Readonly<Record<string, string>>
  readonly #fault: GatewayFault
  /** Replies with calls, by the ids of their calls: clients of some wires can't send all of them back. */
  readonly #remembered = new Map<string, Part[]>()
  #calls = 0

  constructor(upstream: string, models: Readonly<Record<string, string>>, fault: GatewayFault) {
    this.#upstream = upstream
    this.#models = models
    this.#fault = fault
  }

  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = message
    if (method === 'GET' && url.endsWith('/models'))
      return answer(response, 200, { data: Object.keys(this.#models).map(id => ({ id })) })
    const body = await bodyOf(message)
    const fields = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as const)
    const native: WireRequest = { method, path: url, fields, body }
    const found = wireOf(WIRES, method, url)
    const model = found === null ? '' : modelOf(found.wire, native)
    const to = WIRES.find(({ id }) => id === this.#models[model])
    const writer = found === null ? undefined : REPLY_WRITERS[found.wire.id]
    if (found === null || to === undefined || writer === undefined)
      return answer(response, 404, { error: { message: 'no such route', type: 'not_found' } })
    const exchange = { client: found.wire, to, model, writer, native, response }
    if (found.operation === 'count') return this.#count(exchange)
    return found.operation === 'embed' ? this.#embed(exchange) : this.#generate(exchange)
  }

  async #generate({ client, to, model, writer, native, response }: Exchange): Promise<void> {
    const fault = this.#fault
    const read = client.readRequest(native)
    const passed = this.#recalled(fault.request?.(read) ?? read)
    const vendors = passed.tools.find(({ vendor }) => vendor !== undefined)
    if (vendors !== undefined && to.limits.request.has('vendor-tools'))
      return this.#fail(response, writer, refused(`${model} has no ${vendors.name}`), false)
    const isStream = passed.stream
    const written = to.writeRequest(passed, { model, stream: isStream, marks: 'prompt_cache_breakpoint' })
    const leaving = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished && fault.ignoresLeaving !== (isStream ? 'stream' : 'plain')) leaving.abort()
    })
    let stream: ReplyStream | null = null
    const came = await callUpstream(this.#upstream, to, fault.native?.(written) ?? written, {
      signal: leaving.signal,
      onPart: part => {
        if (!isStream || (part.body.length === 0 && stream === null)) return
        const { reply, error } = to.readStream(part)
        if (error !== null || reply.parts.length === 0) return
        stream ??= new ReplyStream(response, writer, { model, change: fault.events?.bind(fault) })
        stream.pass(fault.reply?.(reply, true) ?? reply)
      },
    })
    const error = to.readError(came)
    if (error !== null) return this.#fail(response, writer, error, isStream)
    const reading = isStream ? to.readStream(came) : null
    const reply = this.#named(reading?.reply ?? to.readReply(came))
    const changed = fault.reply?.(reply, isStream) ?? reply
    if (!isStream) return answer(response, 200, writer.whole(changed, model))
    stream ??= new ReplyStream(response, writer, { model, change: fault.events?.bind(fault) })
    if (came.isComplete && reading!.error === null && reading!.isEnded) return stream.end(changed)
    this.#break(stream, writer, changed, response)
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
