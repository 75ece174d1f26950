/** Owns one HTTP request to an MCP route and its response: headers, JSON or an event stream. */
import type { RequestedUse } from '../registry/registry.ts'
import type { FastifyReply, FastifyRequest, SseOptions, SseStream } from 'svc/plugin'
import { type Accepted, readAccept } from './media-types.ts'
import { DEFAULT_PAGE_SIZE, KEEP_ALIVE_MS, MAX_PAGE_SIZE } from '../bounds.ts'
import type { RpcError } from '../errors.ts'
import { errorText, type RequestId } from '../protocol/json-rpc.ts'
import type { Mcp } from '../mcp.ts'
import type { Server } from '../servers/server.ts'
import type { CallHttp, JsonObject } from '../types.ts'

/** Values of the headers `X-Svc-Mcp-*`; null is sent as `none`. */
export interface ReplyFacts {
  server: string | null
  session: string | null
  method: string | null
  requestId: RequestId | null
  version: string | null
}

/** The five `X-Svc-Mcp-*` headers of every response. */
export function factHeaders(facts: Partial<ReplyFacts>): Record<string, string> {
  return {
    'X-Svc-Mcp-Server': headerText(facts.server),
    'X-Svc-Mcp-Session': headerText(facts.session),
    'X-Svc-Mcp-Method': headerText(facts.method),
    'X-Svc-Mcp-Request-Id': headerText(facts.requestId),
    'X-Svc-Mcp-Protocol-Version': headerText(facts.version),
  }
}

/** Sends a finished JSON response in another way. */
export type Interceptor = (response: {
  status: number
  text: string
  headers?: Record<string, string>
}) => void | Promise<void>

const JSON_ONLY: Accepted = { json: true, sse: false }

export class HttpExchange {
  readonly mcp: Mcp
  readonly server: Server
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Whether the client accepts JSON, event streams, or both. */
  readonly accepted: Accepted
  readonly facts: ReplyFacts
  readonly http: CallHttp
  /** Number of messages in the body; a batch has several. */
  messageCount = 1
  /** Verified claims, null on open servers. */
  claims: JsonObject | null = null
  /** Sends the response instead. */
  #interceptor: Interceptor | null = null

  constructor(mcp: Mcp, server: Server, request: FastifyRequest, reply: FastifyReply) {
    this.mcp = mcp
    this.server = server
    this.request = request
    this.reply = reply
    this.accepted = readAccept(request.headers.accept)
    this.http = new RequestView(mcp, request)
    this.facts = { server: server.name, session: null, method: null, requestId: null, version: null }
  }

  /** A request header; repeated ones are joined with commas. */
  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Items per page of a list, from the query parameter `page_size`: larger values than 1000 count as 1000, invalid ones as the default. */
  get pageSize(): number {
    const text = (this.request.query as Record<string, unknown>).page_size
    if (typeof text !== 'string' || !/^\d{1,9}$/.test(text) || Number(text) < 1) return DEFAULT_PAGE_SIZE
    return Math.min(Number(text), MAX_PAGE_SIZE)
  }

  /** Bytes of the body per message. */
  get messageBytes(): number {
    return Math.ceil(this.mcp.svc.http.body(this.request).length / this.messageCount)
  }

  /** What may be sent: a response that is intercepted is JSON, without messages before it. */
  get accepts(): Accepted {
    return this.#interceptor === null ? this.accepted : JSON_ONLY
  }

  /** Lets `interceptor` send the response, once. */
  intercept(interceptor: Interceptor): void {
    this.#interceptor = interceptor
  }

  sendJson(status: number, text: string, headers?: Record<string, string>): void {
    if (this.reply.sent) return
    const interceptor = this.#interceptor
    if (interceptor) {
      this.#interceptor = null
      const sent = interceptor({ status, text, headers })
      sent?.catch((error: unknown) => this.logFailure({ method: this.facts.method ?? '' }, error))
      return
    }
    this.reply.header('content-type', 'application/json; charset=utf-8')
    this.sendText(status, text, headers)
  }

  /** Sends a body whose type is set. */
  sendText(status: number, text: string, headers: Record<string, string> = {}): void {
    this.setFacts()
    this.reply.code(status).headers(headers).send(text)
  }

  /** Sets the headers `X-Svc-Mcp-*`. */
  setFacts(): void {
    this.reply.headers(factHeaders(this.facts))
  }

  /** Accepts a notification or a response with status 202; `text` is the body of the HTTP+SSE transport. */
  accept(text?: string): void {
    this.reply.code(202).headers(factHeaders(this.facts)).send(text)
  }

  /** Logs an unexpected error with its stack, which the client never gets. */
  logFailure({ method, params }: { method: string; params?: RequestedUse['params'] }, error: unknown): void {
    const { name: server } = this.server
    this.mcp.logOf({ server, method, params }).error('MCP request failed', { server, method, error })
  }

  sendError(error: RpcError): void {
    this.sendJson(error.status ?? 200, errorText(this.facts.requestId, error), error.headers)
  }

  /** Starts the event stream; null if a response was already sent, for example by a limit. Closed if the client has disconnected. */
  openStream(options: SseOptions = {}): SseStream | null {
    if (this.reply.sent) return null
    this.reply.headers(factHeaders(this.facts))
    this.reply.header('Cache-Control', 'no-cache, no-transform')
    return this.mcp.svc.streams.sse(this.request, this.reply, {
      status: 200,
      heartbeatMs: KEEP_ALIVE_MS,
      heartbeatText: 'keepalive',
      ...options,
    })
  }
}

/** The HTTP request for handlers. Computed on access, because most handlers do not use it. */
class RequestView implements CallHttp {
  readonly #mcp: Mcp
  readonly #request: FastifyRequest

  constructor(mcp: Mcp, request: FastifyRequest) {
    this.#mcp = mcp
    this.#request = request
  }

  get request(): FastifyRequest {
    return this.#request
  }
  get method(): string {
    return this.#request.method
  }
  get uri(): string {
    return this.#request.url
  }
  get rawHeaders(): readonly string[] {
    return this.#request.raw.rawHeaders
  }
  get clientIp(): string {
    return this.#mcp.svc.http.clientIp(this.#request)
  }
}

/** Up to 200 printable ASCII characters, otherwise `none`. */
function headerText(value: RequestId | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  return /^[\x20-\x7e]{1,200}$/.test(text) ? text : 'none'
}
