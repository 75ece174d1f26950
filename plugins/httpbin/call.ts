/** One request to an operation: what it asks for, and how to respond. */
import { rawQuery } from 'svc/toolkit'
import type { BodyStream, FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import type { Mount, Original } from './operation.ts'
import type { HttpbinOptions } from './options.ts'
import { readAsGoHttpbin, readAsHttpbin } from './request/body.ts'
import { field, readHeaders, withoutProxyFields, type HeaderValues } from './request/headers.ts'
import { readLenient, readStrict, type Values, decodeText } from './request/query.ts'
import { goJson, pythonJson } from './response/json.ts'

/** Controls, spaces, `%` and DEL stay percent-encoded everywhere. */
const isPlain = (character: string): boolean => !/[\0-\x20%\x7f]/.test(character)

/** Longest time that an operation takes. */
export const MAX_SECONDS = 10

type Member = 'args' | 'data' | 'files' | 'form' | 'headers' | 'json' | 'method' | 'origin' | 'url'
const BODY_MEMBERS: readonly Member[] = ['data', 'files', 'form', 'json']

export class Call {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly svc: Svc<HttpbinOptions>
  readonly #mount: Mount
  #query: Values | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, mount: Mount, svc: Svc<HttpbinOptions>) {
    this.request = request
    this.reply = reply
    this.#mount = mount
    this.svc = svc
  }

  get original(): Original {
    return this.#mount.original
  }

  get isGo(): boolean {
    return this.#mount.original === 'go-httpbin'
  }

  /** The smaller limit of a shared instance. */
  limit(ordinary: number, shared: number): number {
    return this.svc.config.publicMode ? shared : ordinary
  }

  // ---------- The request

  /** A decoded parameter of the path. */
  parameter(name: string): string {
    return (this.request.params as Record<string, string>)[name] ?? ''
  }

  get query(): Values {
    return (this.#query ??= this.isGo ? readStrict(rawQuery(this.request)) : readLenient(rawQuery(this.request)))
  }

  /** The first value of a query parameter; in httpbin in any case. */
  queryValue(name: string): string | undefined {
    if (this.isGo) return this.query.get(name)?.[0]
    for (const [key, values] of this.query) if (key.toLowerCase() === name) return values[0]
    return undefined
  }

  header(name: string): string | undefined {
    return field(this.request, name)
  }

  get body(): Buffer {
    return this.svc.http.receivedBody(this.request)
  }

  get headers(): HeaderValues {
    const headers = readHeaders(this.svc.http.receivedHeaders(this.request), this.original)
    return this.isGo || this.query.has('show_env') ? headers : withoutProxyFields(headers)
  }

  /** The client address. Behind a trusted proxy, httpbin shows the whole list of addresses. */
  get origin(): string {
    const forwarded = this.svc.config.trustForward && !this.isGo ? this.header('x-forwarded-for') : undefined
    return forwarded ?? this.svc.http.clientIp(this.request)
  }

  /** The URL as requested, with the prefix. */
  get url(): string {
    const target = this.svc.http.target(this.request)
    const at = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('//') + 2)
    const local = at === -1 ? '/' : target.slice(at)
    return this.svc.http.url(this.request, this.isGo ? local : shownTarget(local))
  }

  // ---------- URLs of the instance

  /** A path of the original as clients reach it. */
  path(path: string): string {
    return this.svc.http.path(this.request, this.#mount.prefix + path)
  }

  absolute(path: string): string {
    return this.svc.http.url(this.request, this.#mount.prefix + path)
  }

  get isSecure(): boolean {
    return this.svc.http.origin(this.request).scheme === 'https'
  }

  // ---------- The response

  /** The request as JSON members, in the order of go-httpbin. `extra` follows the facts, the members of the body come last. */
  async describeRequest(
    members: readonly Member[],
    extra: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    const hasBody = members.some(member => BODY_MEMBERS.includes(member))
    const type = this.header('content-type') ?? ''
    const body = hasBody ? await (this.isGo ? readAsGoHttpbin : readAsHttpbin)(this.body, type) : null
    const facts: Record<string, () => unknown> = {
      args: () => this.#shown(this.query),
      headers: () => this.shownHeaders(),
      method: () => this.request.method,
      origin: () => this.origin,
      url: () => this.url,
      data: () => body?.data,
      files: () => this.#shown(body!.files),
      form: () => this.#shown(body!.form),
      json: () => body?.json,
    }
    const described: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(facts)) if (members.includes(name as Member)) described[name] = value()
    return { ...described, ...extra }
  }

  /** The headers as in the response body. */
  shownHeaders(): Map<string, string | string[]> {
    if (this.isGo) return this.headers
    return new Map([...this.headers].map(([name, values]) => [name, values.join(',')]))
  }

  /** Lists in go-httpbin; in httpbin only for repeated names. */
  #shown(values: Values): Map<string, string | string[]> {
    if (this.isGo) return values
    return new Map([...values].map(([name, list]) => [name, list.length === 1 ? list[0]! : list]))
  }

  json(value: object, status = 200): FastifyReply {
    // Without a body the answer is as small as the head of the request.
    const output = this.body.length === 0 ? undefined : this.svc.budgets.output(this.request)
    return this.isGo
      ? this.send('application/json; charset=utf-8', goJson(value, output), status)
      : this.send('application/json', pythonJson(value, output), status)
  }

  send(type: string, body: string | Buffer, status = 200): FastifyReply {
    // Bytes, since Fastify adds a character set to texts.
    return this.reply
      .code(status)
      .header('Content-Type', type)
      .send(Buffer.from(body as string))
  }

  /** A response without a body. httpbin names a type anyway, except where it sets the headers one by one. */
  empty(status: number, { hasType = true } = {}): FastifyReply {
    if (hasType && !this.isGo) this.reply.header('Content-Type', 'text/html; charset=utf-8')
    // Fastify only knows statuses up to 599.
    this.reply.raw.statusCode = status
    return this.reply.send()
  }

  /** A redirect. httpbin adds a short page to some. */
  redirect(location: string, { status = 302, hasPage = false } = {}): FastifyReply {
    this.reply.header('Location', location)
    if (!hasPage || this.isGo) return this.empty(status)
    const page = `<!doctype html>\n<html lang="en">\n<title>Redirect</title>\n<p>The requested page moved.</p>\n</html>\n`
    return this.send('text/html; charset=utf-8', page, status)
  }

  /** Waits; returns false if the client disconnected, and nothing must be sent. */
  async wait(ms: number): Promise<boolean> {
    if (ms <= 0 || (await this.svc.http.delay(this.request, ms))) return true
    this.reply.hijack()
    return false
  }

  /** Writes `count` chunks with pauses, each due by its time from the start. Returns the reply. */
  async writePaced(
    stream: BodyStream | null,
    count: number,
    pauseMs: number,
    next: (index: number) => string | Buffer,
    end?: () => void,
  ): Promise<FastifyReply> {
    if (stream === null) return this.reply
    const startedAt = performance.now()
    for (let index = 0; index < count; index++) {
      const restMs = startedAt + index * pauseMs - performance.now()
      if (restMs > 0) await this.svc.http.delay(this.request, restMs)
      if (stream.closed) return this.reply
      if (!stream.write(next(index))) await stream.ready()
    }
    end?.()
    stream.end()
    return this.reply
  }
}

/** A target in origin form. The path is decoded except for its delimiters, the query except for those of pairs. */
function shownTarget(target: string): string {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const shownPath = decodeText(path, character => isPlain(character) && !/[?#]/.test(character))
  if (mark === -1) return shownPath
  return `${shownPath}?${decodeText(target.slice(mark + 1), character => isPlain(character) && !/[&=+#]/.test(character))}`
}
