/**
 * The response class of every listener. It notifies the request context when the response headers are sent and how many
 * bytes follow, and drops what a route still writes after the core has sent a response instead.
 *
 * It is a class, not a wrapper around each response: methods on the prototype cost nothing per request, and they see
 * everything, including hijacked replies and writes by libraries.
 */
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Http2ServerResponse } from 'node:http2'
import type { ServerResponseClass } from '../node-internals/fast-response.ts'
import { sentHead } from '../node-internals/sent-head.ts'
import type { RequestContext } from '../request/context.ts'
import type { ResponseInUse } from '../request/types.ts'
import { addedHeaders, addTrailers } from './additions.ts'
import { countUnsent } from './unsent-response.ts'
import { mergeVary } from './cors.ts'
import { keepSessionInLocation } from './session-location.ts'
import { defaultHeaders, withDefaultHeaders } from './default-headers.ts'
import { eachHeader, type Headers } from './header-list.ts'

interface Hooked {
  context?: RequestContext
  isDetached?: boolean
}
export type SvcResponse = ResponseInUse & Hooked

export type Http1Response = ServerResponse & Hooked
export type Http1ResponseClass = new (request: IncomingMessage) => Http1Response

/** Creates the class of HTTP/1 responses, based on Node's class or on one that sends the same bytes faster. */
export function createHttp1Response(Base: ServerResponseClass): Http1ResponseClass {
  return class Http1Response extends Base implements Hooked {
    context?: RequestContext
    isDetached?: boolean

    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      if (this.isDetached) return this
      const context = this.context
      if (context === undefined) return super.writeHead(status, reason as string, headers as OutgoingHttpHeaders)
      const given = typeof reason === 'string' ? headers : reason
      if (isStopped(this, context, status, given)) return this
      const final = finishHead(this, context, status, given)
      if (typeof reason === 'string') super.writeHead(status, reason, final)
      else super.writeHead(status, final)
      if (status >= 200) context.copy?.keepHead(sentHead(this))
      return this
    }

    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (this.isDetached || isStoppedRaw(this) || isEndedUnsent(this)) return false
      if (countBytes(this, bytesOf(chunk, encoding))) this.context!.copy?.keep(chunk, encoding)
      const goesOn = super.write(chunk as string, encoding as BufferEncoding, callback as () => void)
      if (!goesOn && this.context !== undefined) countUnsent(this.context)
      return goesOn
    }

    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (this.isDetached || isStoppedRaw(this)) return this
      if (countBytes(this, bytesOf(chunk, encoding))) this.context!.copy?.keepLast(chunk, encoding)
      if (this.context !== undefined) addTrailers(this.context, this)
      super.end(chunk as string, encoding as BufferEncoding, callback as () => void)
      if (this.context !== undefined) countUnsent(this.context)
      return this
    }

    override destroy(error?: Error): this {
      if (!this.writableFinished) this.context?.breakOff()
      return super.destroy(error)
    }
  }
}

export class Http2Response extends Http2ServerResponse implements Hooked {
  context?: RequestContext
  isDetached?: boolean

  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (this.isDetached) return this
    const context = this.context
    const given = (typeof reason === 'string' ? headers : reason) as OutgoingHttpHeaders | undefined
    if (context === undefined) return super.writeHead(status, given ?? {})
    if (isStopped(this, context, status, given)) return this
    super.writeHead(status, withoutConnection(finishHead(this, context, status, given)))
    if (status >= 200) context.copy?.keepHead(this.stream?.sentHeaders ?? null)
    return this
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    if (this.isDetached || isStoppedRaw(this) || isEndedUnsent(this)) return false
    if (countBytes(this, bytesOf(chunk, encoding))) this.context!.copy?.keep(chunk, encoding)
    const goesOn = super.write(chunk as string, encoding as BufferEncoding, callback as () => void)
    if (!goesOn && this.context !== undefined) countUnsent(this.context)
    return goesOn
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (this.isDetached || isStoppedRaw(this)) return this
    // Node's method sends the chunk through `write`, which counts it.
    if (hasBody(this) && bytesOf(chunk, encoding) > 0) this.context!.copy?.keepLast(chunk, encoding)
    if (this.context !== undefined) addTrailers(this.context, this)
    return super.end(chunk as string, encoding as BufferEncoding, callback as () => void)
  }
}

/** Runs the gate once. True means that it has sent another response, and this one is dropped. */
function isStopped(
  response: SvcResponse,
  context: RequestContext,
  status: number,
  headers: Headers | undefined,
): boolean {
  if (response.headersSent || status < 200) return false
  context.isEventStream = context.isFeed || isEventStream(response, headers)
  const gate = context.gate
  context.gate = null
  return gate !== null && !gate(context)
}

/** The same for a body without `writeHead`: otherwise Node would send the head in the middle of the write. */
function isStoppedRaw(response: SvcResponse): boolean {
  const { context } = response
  return context !== undefined && context.gate !== null && isStopped(response, context, response.statusCode, undefined)
}

function isEventStream(response: SvcResponse, headers: Headers | undefined): boolean {
  const type = givenType(headers) ?? response.getHeader('content-type')
  return typeof type === 'string' && !type.startsWith('application/') && /^text\/event-stream[\t ]*(?:;|$)/i.test(type)
}

function givenType(headers: Headers | undefined): unknown {
  if (headers === undefined) return undefined
  if (!Array.isArray(headers)) {
    // Fastify uses lower-case names.
    if (headers['content-type'] !== undefined) return headers['content-type']
    for (const name in headers) if (isTypeName(name)) return headers[name]
    return undefined
  }
  let type: unknown
  eachHeader(headers, (name, value) => {
    if (type === undefined && isTypeName(name)) type = value
  })
  return type
}

function isTypeName(name: string): boolean {
  return name.length === 12 && name.toLowerCase() === 'content-type'
}

/** Everything that happens when the response headers are sent happens here, once. */
function finishHead(
  response: SvcResponse,
  context: RequestContext,
  status: number,
  headers: Headers | undefined,
): Headers | undefined {
  if (response.headersSent || status < 200) return headers
  context.headGoesOut(status)
  const located = context.pathSession === null ? headers : keepSessionInLocation(context, response, headers)
  const own = status === 204 || status === 304 ? withoutLength(located) : located
  const added = addedHeaders(context, status, own)
  if (response.getHeaderNames().length === 0) return withDefaultHeaders(context, own, added)
  setOwnHeaders(response, context)
  for (const name in added) response.setHeader(name, added[name]!)
  return context.vary === null ? own : withVary(response, context.vary, own)
}

/** For routes that set headers on the response: theirs take precedence. */
function setOwnHeaders(response: SvcResponse, context: RequestContext): void {
  const { Vary: _vary, ...own } = defaultHeaders(context)
  for (const name in own) if (!response.hasHeader(name)) response.setHeader(name, own[name]!)
}

/**
 * Fastify's HEAD routes announce a length of 0 if a route sent no body. With 204 that is forbidden, and with 304 it
 * would be the length of what the client already has (RFC 9110, 8.6).
 */
function withoutLength(headers: Headers | undefined): Headers | undefined {
  if (headers === undefined || Array.isArray(headers) || headers['content-length'] === undefined) return headers
  const { 'content-length': _length, ...rest } = headers
  return rest
}

/** Fastify passes its headers in one object, which would replace those set with `setHeader`. */
function withVary(response: SvcResponse, added: string, headers: Headers | undefined): Headers | undefined {
  if (headers !== undefined && !Array.isArray(headers)) {
    for (const name in headers) {
      if (name.length === 4 && name.toLowerCase() === 'vary') {
        return { ...headers, [name]: mergeVary(String(headers[name]), added) }
      }
    }
  }
  const current = response.getHeader('vary')
  response.setHeader('Vary', current === undefined ? added : mergeVary(String(current), added))
  return headers
}

/** HTTP/2 has no connection headers (RFC 9113, 8.2.2), and Node throws if they are set. */
function withoutConnection(headers: Headers | undefined): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {}
  const keep = (name: string, value: OutgoingHttpHeader | undefined): void => {
    if (!/^(?:connection|keep-alive|transfer-encoding|upgrade|proxy-connection)$/i.test(name)) kept[name] = value
  }
  eachHeader(headers, keep)
  return kept
}

/** Statuses without content (RFC 9110, 15.3.5 and 15.4.5): Node drops what is written. */
function isEmpty(response: SvcResponse): boolean {
  return response.statusCode === 204 || response.statusCode === 304
}

/** Whether what is written becomes part of a response body. */
function hasBody(response: SvcResponse): boolean {
  const { context } = response
  return context !== undefined && context.method !== 'HEAD' && !context.closed && !isEmpty(response)
}

/** Whether the response ends here, because what writes it never waits for the client. */
function isEndedUnsent({ context }: SvcResponse): boolean {
  const unsent = context?.unsent
  if (unsent === undefined || unsent === null || !unsent.isOverflowing) return false
  unsent.cutOff()
  return true
}

/** Returns whether the bytes are part of the body. */
function countBytes(response: SvcResponse, bytes: number): boolean {
  if (bytes === 0 || !hasBody(response)) return false
  response.context!.countEgress(bytes)
  return true
}

/** Size in bytes of the argument of `write` or `end`; 0 if it is absent or a callback. */
function bytesOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === 'string')
    return Buffer.byteLength(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  return chunk instanceof Uint8Array ? chunk.byteLength : 0
}
