/** An MCP client over Streamable HTTP: stateless (2026-07-28) and with a session (2025-11-25). */
import { send, type Sent } from '../../lib/instance/gateway.ts'
import { mediaTypeOf, parseJson, type NameValue } from '../../lib/protocol/http.ts'
import type { MessageLog } from '../../lib/protocol/message-log.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import { nameHeaders, type HeaderSource } from './headers.ts'
import type { Message, ServerRequest, ServerInfo, Target } from './types.ts'

const META = 'io.modelcontextprotocol/'
const CLIENT_INFO = { name: 'svc-console', title: 'svc console', version: '1' }
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} }
/** Maximum rounds of input requests in one stateless call. */
const MAX_ROUNDS = 10

/** The server returned a JSON-RPC error. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`${message} (${code})`)
    this.code = code
    this.data = data
  }
}

/** The server, or a gateway in front of it, returned something other than JSON-RPC. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: readonly NameValue[]

  constructor({ response }: Sent, text: string) {
    const body = parseJson(text) as { error_description?: unknown; error?: unknown } | undefined
    super(
      `HTTP ${response?.status}: ${String(body?.error_description ?? body?.error ?? (text.slice(0, 300) || 'no body'))}`,
    )
    this.status = response?.status ?? 0
    this.headers = response?.headers ?? []
  }
}

export interface Handlers {
  /** Handles a request of the server; resolves to the result of its method. */
  onServerRequest(serverRequest: ServerRequest): Promise<Record<string, unknown>>
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

  /** Discovers the server, or starts a session and listens to its stream. */
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

  /**
   * Sends a request and returns its result. The handlers answer requests of the server. Throws RpcError, HttpError and
   * UnreachableError.
   */
  async call<T>(method: string, params: Record<string, unknown> = {}, options: CallOptions = {}): Promise<T> {
    let input: Record<string, unknown> = {}
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result = await this.#request(method, { ...params, ...input }, options)
      if (result.resultType !== 'input_required') return result as T
      const serverRequests = Object.entries(result.inputRequests as Record<string, ServerRequest>)
      const inputResponses: Record<string, unknown> = {}
      for (const [key, serverRequest] of serverRequests)
        inputResponses[key] = await this.#handlers.onServerRequest(serverRequest)
      input = { inputResponses, requestState: result.requestState }
    }
    throw new Error(`The server requested input more than ${MAX_ROUNDS} times.`)
  }

  async notify(method: string, params?: Record<string, unknown>): Promise<void> {
    await this.#post({ method, ...(params ? { params } : {}) }, [], null)
  }

  /** Stateless only: a stream of the given notifications, until aborted. */
  async subscribe(notifications: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    await this.#request('subscriptions/listen', { notifications }, { signal })
  }

  /** Ends the session and aborts all running requests. */
  async close(): Promise<void> {
    const session = this.#session
    this.#closed.abort()
    if (session === null) return
    this.#session = null
    const { sent, response } = await send({ ...this.#place(), method: 'DELETE', headers: this.#headers(session) })
    this.#log.sent(sent, 'end of session', null)
    const text = await response.text()
    this.#log.received(sent, 'end of session', parseJson(text) ?? text, !response.ok)
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
    // In a session, a dropped connection does not cancel the request, so a notification is sent.
    const cancel = () => {
      if (!this.isStateless)
        void this.notify('notifications/cancelled', { requestId: id, reason: 'Canceled by the user.' }).catch(() => {})
    }
    options.signal?.addEventListener('abort', cancel, { once: true })
    try {
      const response = await this.#post(
        message,
        this.isStateless ? nameHeaders(method, params, options) : [],
        id,
        options.signal,
      )
      if (response?.error) throw new RpcError(response.error)
      if (response?.result === undefined)
        throw new Error(options.signal?.aborted ? 'Canceled.' : 'The server sent no response.')
      return response.result
    } catch (error) {
      throw options.signal?.aborted ? new Error('Canceled.') : error
    } finally {
      options.signal?.removeEventListener('abort', cancel)
      this.#progress.delete(id)
    }
  }

  /** Posts a message and returns the response to request `id`. */
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
    const title = message.method ?? `response to ${String(message.id)}`
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
    if (mediaTypeOf(sent.response!.headers) === 'text/event-stream')
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
      const isResponse = message.method === undefined
      this.#log.received(sent, isResponse ? title : message.method!, message, message.error !== undefined)
      if (isResponse && message.id === id) return message
      if (!isResponse) this.#handle(message)
    }
    // The server closed the stream early: resume it after the last event ID.
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
    this.#log.sent(sent, `${title}, resumed`, null)
    return this.#read(response, sent, title, id, signal)
  }

  /** Handles a notification or a request of the server. */
  #handle({ id, method = '', params = {} }: Message): void {
    if (id !== undefined && id !== null) {
      this.#handlers
        .onServerRequest({ method, params })
        .then(
          result => this.#post({ id, result }, [], null),
          (error: unknown) => this.#post({ id, error: { code: -32603, message: String(error) } }, [], null),
        )
        .catch(() => {
          /* the log has it */
        })
      return
    }
    if (method === 'notifications/progress')
      this.#progress.get(params.progressToken as number)?.(params as { progress: number })
    this.#handlers.onNotification(method, params)
  }

  /** Listens to the stream for messages of the server in a session. Not all servers have one. */
  async #listen(): Promise<void> {
    try {
      const { sent, response } = await send({
        ...this.#place(),
        method: 'GET',
        headers: [...this.#headers(this.#session), { name: 'Accept', value: 'text/event-stream' }],
        signal: this.#closed.signal,
      })
      this.#log.sent(sent, 'session stream', null)
      await this.#read(response, sent, 'session stream', null)
    } catch {
      /* closed or not supported: the log has it */
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
