/**
 * Runs a route without a connection, for deliveries to paths of the same instance. Such a call belongs to nobody: it has
 * no credentials, is not counted, captured or subject to faults, and cannot reach the control plane.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Config } from '../../config/variables.ts'
import type { InProcessCall, InProcessResponse } from '../../contract/plugin.ts'
import { decodedPath, isBelow } from '../../fields/request-target.ts'
import { RequestContext } from '../request/context.ts'
import { bodyLimitOf } from '../request/body.ts'
import type { RequestFactsSource } from '../request/request-facts.ts'
import type { RoutingGeneration } from '../request/types.ts'
import { eachHeader } from '../response/header-list.ts'
import type { Headers } from '../response/header-list.ts'
import { createHttp1Response } from '../response/response.ts'
import { sendError, sendResponse } from '../response/send.ts'
import { badRequest, payloadTooLarge } from './error-bodies.ts'
import { sendUnrouted } from './pipeline.ts'

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_BYTES = 1024 * 1024
/** Calls that run at once. */
const MAX_CALLS = 64
/** The address of the caller, as routes see it. */
const CALLER_ADDRESS = '127.0.0.1'
/** Credentials of the control plane and of shared mode: a call has none. */
const CREDENTIALS = new Set(['x-svc-admin-token', 'x-api-key'])

export interface InProcessCallServices {
  config: Config
  facts: RequestFactsSource
  generation(): RoutingGeneration
  /** Bound port of the HTTP listener. */
  httpPort(): number | null
}

/** Creates the function behind `svc.http.call`. */
export function createInProcessCall({
  config,
  facts,
  generation,
  httpPort,
}: InProcessCallServices): (call: InProcessCall) => Promise<InProcessResponse> {
  const running = new AsyncLocalStorage<true>()
  let open = 0

  return async call => {
    // A route that calls itself would never end.
    if (running.getStore() === true) return plain(508, { error: 'a call within a call is refused' })
    if (open >= MAX_CALLS) return plain(503, { error: `at most ${MAX_CALLS} calls can run at once` })
    open++
    try {
      return await running.run(true, () => runCall(call))
    } finally {
      open--
      // Tracking the async context costs time in every request while it is enabled.
      if (open === 0) running.disable()
    }
  }

  function runCall({
    method,
    path,
    query = '',
    headers = {},
    body = Buffer.alloc(0),
    baseUrl,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxBytes = DEFAULT_MAX_BYTES,
  }: InProcessCall): Promise<InProcessResponse> {
    const url = query === '' ? path : `${path}?${query}`
    const decoded = decodedPath(url)
    if (decoded !== null && isBelow(decoded, '/_svc'))
      return Promise.resolve(plain(403, { error: 'a call cannot reach the control plane' }))
    const base = new URL(baseUrl ?? `http://localhost:${httpPort() ?? 80}${facts.prefix({})}`)
    const port = Number(base.port) || (base.protocol === 'https:' ? 443 : 80)
    const scheme = base.protocol === 'https:' ? 'https' : 'http'
    const origin = facts.origin({ headers: { host: base.host }, scheme, port })
    const prefix = base.pathname.replace(/\/$/, '')
    const current = generation()
    const route = decoded === null ? null : current.routes.find(method, url)
    const request = createRequest({ method, url, headers: { host: base.host, ...headers }, body })
    const response = new CollectedResponse(request) as InstanceType<typeof CollectedResponse> & Collected
    const context = new RequestContext({
      request,
      response,
      listener: { kind: scheme, scheme, port },
      generation: current,
      facts: { ...facts, clientIp: () => CALLER_ADDRESS, origin: () => origin, prefix: () => prefix },
      path: decoded,
      route,
      upgrade: null,
      activity: null,
    })
    context.requestId = request.headers['x-request-id'] as string
    context.body = body
    context.isBodyRead = true
    response.context = context
    response.assignSocket(request.socket)
    current.retain()
    return new Promise((resolve, reject) => {
      const stop = (reason: string): void => {
        reject(new Error(reason))
        context.abort(reason)
        response.destroy()
      }
      const timer = setTimeout(() => stop(`the route did not answer within ${timeoutMs} ms`), timeoutMs)
      response.limit = { maxBytes, exceed: () => stop(`the response has more than ${maxBytes} bytes`) }
      response.on('finish', () => {
        resolve({ status: response.statusCode, headers: response.sent, body: Buffer.concat(response.chunks) })
        request.socket.destroy()
      })
      response.on('close', () => {
        clearTimeout(timer)
        reject(new Error('the route closed the connection'))
        context.close(response.writableFinished)
      })
      if (decoded === null)
        sendResponse(context, { status: 400, body: badRequest('malformed percent-encoding in the request target') })
      else if (route === null) sendUnrouted(context, decoded)
      else if (body.length > bodyLimitOf(context, config.bodyLimit))
        sendError(context, {
          status: 413,
          kind: 'payload_too_large',
          body: payloadTooLarge(bodyLimitOf(context, config.bodyLimit)),
        })
      else {
        context.isRouted = true
        current.handle(request, response)
      }
    })
  }
}

function plain(status: number, body: object): InProcessResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) }
}

/** A socket that accepts everything that is written. */
class NullSocket extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }
}

function createRequest({
  method,
  url,
  headers,
  body,
}: Required<Pick<InProcessCall, 'method' | 'headers' | 'body'>> & { url: string }): IncomingMessage {
  const request = new IncomingMessage(new NullSocket() as unknown as Socket)
  request.method = method
  request.url = url
  request.httpVersion = '1.1'
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  const fields = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name.toLowerCase()))
  if (body.length > 0) fields.push(['content-length', String(body.length)])
  fields.push(['x-request-id', randomUUID()])
  request.rawHeaders = fields.flat()
  request.headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]))
  if (body.length > 0) request.push(body)
  request.push(null)
  request.complete = true
  return request
}

interface Collected {
  chunks: Buffer[]
  sent: Record<string, string | string[]>
  limit: { maxBytes: number; exceed(): void }
}

/** Keeps what Node would send. */
class CollectingResponse extends ServerResponse implements Collected {
  chunks: Buffer[] = []
  sent: Record<string, string | string[]> = {}
  limit = { maxBytes: Number.POSITIVE_INFINITY, exceed(): void {} }
  #bytes = 0

  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const given = typeof reason === 'string' ? headers : reason
    const keep = (name: string, value: OutgoingHttpHeader | undefined): void => {
      if (value !== undefined) this.sent[name.toLowerCase()] = Array.isArray(value) ? value.map(String) : String(value)
    }
    eachHeader(this.getHeaders(), keep)
    eachHeader(given, keep)
    return typeof reason === 'string'
      ? super.writeHead(status, reason, headers as OutgoingHttpHeaders)
      : super.writeHead(status, reason as OutgoingHttpHeaders)
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    this.#collect(chunk, encoding)
    return super.write(chunk as string, encoding as BufferEncoding, callback as () => void)
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    this.#collect(chunk, encoding)
    return super.end(chunk as string, encoding as BufferEncoding, callback as () => void)
  }

  #collect(chunk: unknown, encoding: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk)
    this.#bytes += bytes.length
    if (this.#bytes > this.limit.maxBytes) this.limit.exceed()
    else this.chunks.push(bytes)
  }
}

const CollectedResponse = createHttp1Response(CollectingResponse)
