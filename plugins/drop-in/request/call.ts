/** One request to a flavour, as it sees it: at the root of its host. */
import { networkInterfaces, hostname } from 'node:os'
import { readQuery, type FastifyReply, type FastifyRequest, type Svc, type WebSocket } from 'svc/plugin'
import { escapeHtml, headerProblem, sandboxPolicy } from 'svc/toolkit'
import type { FlavourSettings } from '../options.ts'
import { readGoHeader, type GoHeader } from './go-header.ts'

/** A server of another project. */
export interface Server {
  name: string
  title: string
  summary: string
  /** Sends the response. */
  handle(call: Call): unknown
  /** Takes the WebSockets of these paths; others ignore what asks for one, as the originals do. */
  socket?: {
    /** `*`: all. */
    paths: readonly string[]
    /** Status of a plain request there, for the catalog. */
    plainStatus: number
    open(socket: WebSocket, call: Call): void
  }
  /** A path with a response of status 200, for the catalog. */
  example: string
  /** Of the request for `example`. Default: GET. */
  exampleMethod?: string
  /** Status of its root, for the catalog. Default: 200. */
  rootStatus?: number
  /** Media types of its responses. */
  mediaTypes: readonly (
    | 'text/plain'
    | 'text/html'
    | 'application/json'
    | 'application/octet-stream'
    | 'text/event-stream'
  )[]
}

const MAX_HEADERS = 50

export class Call {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly svc: Svc<unknown>
  readonly settings: FlavourSettings
  readonly #mount: string
  #query: URLSearchParams | undefined
  #header: GoHeader | undefined

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    { svc, settings, mount }: { svc: Svc<unknown>; settings: FlavourSettings; mount: string },
  ) {
    this.request = request
    this.reply = reply
    this.svc = svc
    this.settings = settings
    this.#mount = mount
  }

  // ---------- The request

  get method(): string {
    return this.request.method
  }

  /** The path of the server, as sent, with at least a slash. */
  get path(): string {
    const path = this.request.url.slice(this.#mount.length).split('?', 1)[0]!
    return path === '' ? '/' : path
  }

  /** Path and query as received, without the secrets of the control plane. */
  get target(): string {
    return this.svc.inspector.redactUrl(this.svc.http.target(this.request))
  }

  /** The query with its question mark, as sent; empty without one. */
  get search(): string {
    const mark = this.request.url.indexOf('?')
    return mark === -1 ? '' : this.request.url.slice(mark)
  }

  get query(): URLSearchParams {
    return (this.#query ??= readQuery(this.request))
  }

  /** Without `Host`, and without the secrets of the control plane. */
  get header(): GoHeader {
    if (this.#header === undefined) {
      const { inspector, http } = this.svc
      const found = readGoHeader(http.receivedHeaders(this.request))
      this.#header = new Map(
        [...found].map(([name, values]) => [name, values.map(value => inspector.redactHeader(name, value))]),
      )
    }
    return this.#header
  }

  get host(): string {
    const { headers } = this.request
    return String(headers[':authority'] ?? headers.host ?? '')
  }

  get body(): Buffer {
    return this.svc.http.receivedBody(this.request)
  }

  get protocol(): string {
    return this.request.raw.httpVersionMajor === 2 ? 'HTTP/2.0' : `HTTP/${this.request.raw.httpVersion}`
  }

  /** The client's address with its port, as Go prints it. */
  get remoteAddress(): string {
    const ip = this.svc.http.clientIp(this.request)
    return `${ip.includes(':') ? `[${ip}]` : ip}:${this.remotePort}`
  }

  /** The client's port: that of the PROXY protocol if the address is from there. */
  get remotePort(): number {
    const source = this.svc.http.proxyHeader(this.request)?.source
    const isClient = source?.address === this.svc.http.clientIp(this.request)
    return (isClient ? source?.port : undefined) ?? this.request.socket.remotePort ?? 0
  }

  /** The URL of the server's root. */
  get rootUrl(): string {
    return this.svc.http.url(this.request, this.#mount)
  }

  get port(): number {
    return this.svc.http.listener(this.request).port
  }

  // ---------- The machine, which a shared instance does not show

  get hostname(): string {
    return this.svc.config.publicMode ? this.svc.instance.id : hostname()
  }

  get addresses(): string[] {
    if (this.svc.config.publicMode) return ['127.0.0.1']
    return Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address))
  }

  /** The address at which the request arrived, with the port. */
  get localAddress(): string {
    const address = this.svc.config.publicMode ? '127.0.0.1' : (this.request.socket.localAddress ?? '')
    return `${address.replace(/^::ffff:/, '')}:${this.port}`
  }

  // ---------- The response

  /** The smaller limit of a shared instance. */
  limit(ordinary: number, shared: number): number {
    return this.svc.config.publicMode ? shared : ordinary
  }

  /** Waits, at most the delay limit; returns false if the client has disconnected, and nothing must be sent. */
  async wait(ms: number): Promise<boolean> {
    if (ms <= 0 || (await this.svc.http.delay(this.request, ms))) return true
    this.reply.hijack()
    return false
  }

  /** Sets a field that the client has chosen, in its case; leaves it out if a client may not set it. */
  setChosen(fields: Iterable<readonly [name: string, value: string]>): void {
    let left = MAX_HEADERS
    for (const [name, value] of fields) {
      if (left-- === 0) return
      if (/^(?:x-request-id|x-svc-.*)$/i.test(name) || headerProblem(name, value) !== null) continue
      const { raw } = this.reply
      const before = raw.getHeader(name)
      raw.setHeader(name, before === undefined ? value : [before].flat().map(String).concat(value))
    }
  }

  /** Sends a body. What a browser would render as a page of this origin is kept from its rights. */
  send(type: string | null, body: string | Buffer, status = 200): FastifyReply {
    const { raw } = this.reply
    if (type === null && body.length === 0 && raw.getHeader('content-type') === undefined) {
      raw.statusCode = status
      return this.reply.send()
    }
    if (type !== null && raw.getHeader('content-type') === undefined) raw.setHeader('Content-Type', type)
    const policy = sandboxPolicy(
      textOf(raw.getHeader('content-type')),
      textOf(raw.getHeader('content-security-policy')),
    )
    if (policy !== null) {
      raw.setHeader('Content-Security-Policy', policy)
      raw.setHeader('X-Content-Type-Options', 'nosniff')
    }
    // Fastify only knows statuses up to 599, and adds a character set to texts.
    raw.statusCode = status
    return this.reply.send(Buffer.from(body as string))
  }

  /** An error as Go's `http.Error` sends it. */
  error(message: string, status: number): FastifyReply {
    this.reply.raw.setHeader('X-Content-Type-Options', 'nosniff')
    return this.text(`${message}\n`, status)
  }

  /** Redirects as Go's `http.Redirect` does: with a page for GET. */
  redirect(location: string, status: 301 | 307): FastifyReply {
    this.reply.raw.setHeader('Location', location)
    if (this.method !== 'GET' && this.method !== 'HEAD') return this.send(null, '', status)
    const text = status === 301 ? 'Moved Permanently' : 'Temporary Redirect'
    return this.send('text/html; charset=utf-8', `<a href="${escapeHtml(location)}">${text}</a>.\n\n`, status)
  }

  text(body: string, status = 200): FastifyReply {
    return this.send('text/plain; charset=utf-8', body, status)
  }

  json(value: unknown, status = 200): FastifyReply {
    return this.send('application/json', JSON.stringify(value), status)
  }
}

function textOf(value: number | string | readonly string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}
