/** An MCP client over Streamable HTTP, by hand: stateless (2026-07-28) and with a session (2025-11-25). */
import { send, type Sent } from '../../lib/instance/gateway.ts'
import { mediaTypeOf, parseJson, type NameValue } from '../../lib/protocol/http.ts'
import type { MessageLog } from '../../lib/protocol/message-log.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import { nameHeaders, type HeaderSource } from './headers.ts'
import type { Message, Question, ServerInfo, Target } from './types.ts'

const META = 'io.modelcontextprotocol/'
const CLIENT_INFO = { name: 'svc-console', title: 'svc console', version: '1' }
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} }
/** Rounds of questions in one stateless call, and times that a broken stream is taken up again. */
const MAX_ROUNDS = 10

/** The server answered with an error of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`${message} (${code})`)
    this.code = code
    this.data = data
  }
}

/** The server, or something before it, answered with anything else than JSON-RPC. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: readonly NameValue[]

  constructor({ answer }: Sent, text: string) {
    const body = parseJson(text) as { error_description?: unknown; error?: unknown } | undefined
    super(
      `HTTP ${answer?.status}: ${String(body?.error_description ?? body?.error ?? (text.slice(0, 300) || 'no body'))}`,
    )
    this.status = answer?.status ?? 0
    this.headers = answer?.headers ?? []
  }
}

export interface Handlers {
  /** Answers a question of the server; the result as its method wants it. */
  onQuestion(question: Question): Promise<Record<string, unknown>>
  onNotification(method: string, params: Record<string, unknown>): void
}

export interface CallOptions extends HeaderSource {
  signal?: AbortSignal
  onProgress?(params: { progress: number; total?: number; message?: string }): void
}

export class McpClient {
  readonly target: Target
  #log: MessageLog
  #handlers: Handlers
  #lastId = 0
  #session: string | null = null
  #closed = new AbortController()
  #progress = new Map<string | number, NonNullable<CallOptions['onProgress']>>()

  constructor(target: Target, log: MessageLog, handlers: Handlers) {
    this.target = target
    this.#log = log
    this.#handlers = handlers
  }

  get isStateless(): boolean {
    return this.target.version === '2026-07-28'
  }

  /** Discovers the server, or begins a session and listens to it. */
  async connect(): Promise<ServerInfo> {
    if (this.isStateless) {
      const found = await this.call<{
        instructions?: string
        capabilities: Record<string, unknown>
        _meta?: Record<string, unknown>
      }>('server/discover')
      const info = found._meta?.[`${META}serverInfo`] as { name: string; title?: string; version: string }
      return { ...info, ...found, protocolVersion: this.target.version }
    }
    const { serverInfo, ...rest } = await this.call<{
      serverInfo: { name: string; title?: string; version: string }
      protocolVersion: string
      capabilities: Record<string, unknown>
    }>('initialize', { protocolVersion: this.target.version, capabilities: CAPABILITIES, clientInfo: CLIENT_INFO })
    await this.notify('notifications/initialized')
    void this.#listen()
    return { ...serverInfo, ...rest }
  }

  /** A request and its result; throws RpcError, HttpError, UnreachableError. Questions in between are answered by the handlers. */
  async call<T>(method: string, params: Record<string, unknown> = {}, options: CallOptions = {}): Promise<T> {
    let answers: Record<string, unknown> = {}
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result = await this.#request(method, { ...params, ...answers }, options)
      if (result.resultType !== 'input_required') return result as T
      const questions = Object.entries(result.inputRequests as Record<string, Question>)
      const inputResponses: Record<string, unknown> = {}
      for (const [key, question] of questions) inputResponses[key] = await this.#handlers.onQuestion(question)
      answers = { inputResponses, requestState: result.requestState }
    }
    throw new Error(`The server asked more than ${MAX_ROUNDS} times.`)
  }

  async notify(method: string, params?: Record<string, unknown>): Promise<void> {
    await this.#post({ method, ...(params ? { params } : {}) }, [], null)
  }

  /** Stateless: a stream of what is asked for, until it is aborted. */
  async subscribe(notifications: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    await this.#request('subscriptions/listen', { notifications }, { signal })
  }

  /** Ends the session and everything that runs. */
  async close(): Promise<void> {
    const session = this.#session
    this.#closed.abort()
    if (session === null) return
    this.#session = null
    const { sent, response } = await send({ ...this.#place(), method: 'DELETE', headers: this.#headers(session) })
    this.#log.sent(sent, 'end of the session', null)
    const text = await response.text()
    this.#log.received(sent, 'end of the session', parseJson(text) ?? text, !response.ok)
  }

  async #request(
    method: string,
    params: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    const id = ++this.#lastId
    const meta = {
      ...(this.isStateless
        ? {
            [`${META}protocolVersion`]: this.target.version,
            [`${META}clientCapabilities`]: CAPABILITIES,
            [`${META}clientInfo`]: CLIENT_INFO,
          }
        : {}),
      ...(options.onProgress ? { progressToken: id } : {}),
    }
    const message: Message = {
      id,
      method,
      params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta },
    }
    if (options.onProgress) this.#progress.set(id, options.onProgress)
    // A dropped connection is no cancellation in a session: it is said.
    const cancel = () => {
      if (!this.isStateless)
        void this.notify('notifications/cancelled', { requestId: id, reason: 'Cancelled by the user.' }).catch(() => {})
    }
    options.signal?.addEventListener('abort', cancel, { once: true })
    try {
      const answer = await this.#post(
        message,
        this.isStateless ? nameHeaders(method, params, options) : [],
        id,
        options.signal,
      )
      if (answer?.error) throw new RpcError(answer.error)
      if (answer?.result === undefined)
        throw new Error(options.signal?.aborted ? 'Cancelled.' : 'The server sent no answer.')
      return answer.result
    } catch (error) {
      throw options.signal?.aborted ? new Error('Cancelled.') : error
    } finally {
      options.signal?.removeEventListener('abort', cancel)
      this.#progress.delete(id)
    }
  }

  /** Posts a message; answers the response to request `id`. */
  async #post(
    message: Message,
    added: readonly NameValue[],
    id: number | null,
    signal?: AbortSignal,
  ): Promise<Message | null> {
    const body = { jsonrpc: '2.0', ...message }
    const headers = [
      { name: 'Content-Type', value: 'application/json' },
      { name: 'Accept', value: 'application/json, text/event-stream' },
      ...this.#headers(message.method === 'initialize' ? null : this.#session),
      ...added,
    ]
    const title = message.method ?? `answer to ${String(message.id)}`
    const { sent, response } = await send({
      ...this.#place(),
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: this.#signal(signal),
    })
    this.#log.sent(sent, title, body)
    if (message.method === 'initialize') this.#session = response.headers.get('mcp-session-id')
    return this.#read(response, sent, title, id, signal)
  }

  async #read(
    response: Response,
    sent: Sent,
    title: string,
    id: number | null,
    signal?: AbortSignal,
  ): Promise<Message | null> {
    if (mediaTypeOf(sent.answer!.headers) === 'text/event-stream')
      return this.#readStream(response, sent, title, id, signal)
    const text = await response.text()
    const message = parseJson(text) as Message | undefined
    const isRpc = message?.jsonrpc === '2.0'
    this.#log.received(sent, title, message ?? (text || null), !response.ok || message?.error !== undefined)
    if (!isRpc && (!response.ok || id !== null)) throw new HttpError(sent, text)
    return isRpc ? message : null
  }

  async #readStream(
    response: Response,
    sent: Sent,
    title: string,
    id: number | null,
    signal?: AbortSignal,
  ): Promise<Message | null> {
    let lastEvent = ''
    for await (const event of readEvents(response.body!)) {
      lastEvent = event.id
      const message = event.data === '' ? undefined : (parseJson(event.data) as Message | undefined)
      if (message === undefined) continue
      const isAnswer = message.method === undefined
      this.#log.received(sent, isAnswer ? title : message.method!, message, message.error !== undefined)
      if (isAnswer && message.id === id) return message
      if (!isAnswer) this.#take(message)
    }
    // The server let go of the stream: what is missing is fetched by the last event's id.
    return id === null || lastEvent === '' || signal?.aborted ? null : this.#resume(lastEvent, title, id, signal)
  }

  async #resume(lastEvent: string, title: string, id: number, signal?: AbortSignal): Promise<Message | null> {
    await new Promise(resolve => setTimeout(resolve, 1000))
    const { sent, response } = await send({
      ...this.#place(),
      method: 'GET',
      headers: [
        ...this.#headers(this.#session),
        { name: 'Accept', value: 'text/event-stream' },
        { name: 'Last-Event-ID', value: lastEvent },
      ],
      signal: this.#signal(signal),
    })
    this.#log.sent(sent, `${title}, taken up again`, null)
    return this.#read(response, sent, title, id, signal)
  }

  /** A notification, or a question of the server. */
  #take({ id, method = '', params = {} }: Message): void {
    if (id !== undefined && id !== null) {
      this.#handlers
        .onQuestion({ method, params })
        .then(
          result => this.#post({ id, result }, [], null),
          (error: unknown) => this.#post({ id, error: { code: -32603, message: String(error) } }, [], null),
        )
        .catch(() => {
          /* it stands in the log */
        })
      return
    }
    if (method === 'notifications/progress')
      this.#progress.get(params.progressToken as number)?.(params as { progress: number })
    this.#handlers.onNotification(method, params)
  }

  /** The stream on which a session's server speaks by itself; servers may have none. */
  async #listen(): Promise<void> {
    try {
      const { sent, response } = await send({
        ...this.#place(),
        method: 'GET',
        headers: [...this.#headers(this.#session), { name: 'Accept', value: 'text/event-stream' }],
        signal: this.#closed.signal,
      })
      this.#log.sent(sent, 'stream of the session', null)
      await this.#read(response, sent, 'stream of the session', null)
    } catch {
      /* closed, or not offered: the log has it */
    }
  }

  #place(): { path: string; gateway: Target['gateway'] } {
    return { path: this.target.url, gateway: this.target.gateway }
  }

  #headers(session: string | null): NameValue[] {
    return [
      ...(session === null && !this.isStateless ? [] : [{ name: 'MCP-Protocol-Version', value: this.target.version }]),
      ...(session === null ? [] : [{ name: 'Mcp-Session-Id', value: session }]),
      ...this.target.headers,
    ]
  }

  #signal(signal?: AbortSignal): AbortSignal {
    return signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal])
  }
}
