/**
 * Runs a route without a connection. A call in the name of a request has its credentials and passes the checks of the
 * control plane; the request was counted and captured. A call that belongs to nobody, for deliveries to paths of the same
 * instance, has none. Anybody can cause it, also a page that may not send the same request, so it reaches only routes that
 * say so (`takes`), and it is counted, limited and captured like a request from outside. Faults act on neither.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { InProcessCall, InProcessResponse, Origin } from '../../contract/plugin.ts'
import { decodedPath, isBelow } from '../../fields/request-target.ts'
import { RequestContext } from '../request/context.ts'
import { bodyLimitOf } from '../request/body.ts'
import { decodeBody } from '../request/decoded-body.ts'
import type { RequestFactsSource } from '../request/request-facts.ts'
import { headerText } from '../request/header.ts'
import { isHttp2, rewriteTarget, type RoutingGeneration } from '../request/types.ts'
import { eachHeader, type Headers } from '../response/header-list.ts'
import { createHttp1Response } from '../response/response.ts'
import { sendError, sendResponse } from '../response/send.ts'
import { badRequest, payloadTooLarge } from '../response/error-bodies.ts'
import { takeSessionPrefix } from '../../fields/session-prefix.ts'
import { runStages, sendUnrouted } from '../pipeline/pipeline.ts'
import { takesFromNobody } from '../routes/takes-from-nobody.ts'
import type { PipelineServices, Stage } from '../pipeline/stage.ts'
import { capture } from '../pipeline/stages/capture.ts'
import { authenticateControl } from '../pipeline/stages/control-auth.ts'
import { observe } from '../pipeline/stages/observation.ts'
import { limitByPlan } from '../pipeline/stages/plan-limits.ts'
import { limitTogether } from '../pipeline/stages/shared-limits.ts'

const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_BYTES = 1024 * 1024
/** Calls that run at once. */
const MAX_CALLS = 64
/** The address of the caller, as routes see it. */
const CALLER_ADDRESS = '127.0.0.1'
/** Credentials of the control plane and of shared mode: those of the caller, if any. */
const CREDENTIALS = ['x-svc-admin-token', 'x-api-key']
/** What a call in the name of a request takes from it, so that the same checks have the same result. */
const OF_CALLER = ['host', 'authorization', ...CREDENTIALS, 'origin', 'sec-fetch-site']

export interface InProcessCallServices {
  pipeline(): PipelineServices
  facts: RequestFactsSource
  generation(): RoutingGeneration
  /** Bound port of the HTTP listener. */
  httpPort(): number | null
}

/** Creates the function behind `svc.http.call`. */
export function createInProcessCall({
  pipeline,
  facts,
  generation,
  httpPort,
}: InProcessCallServices): (caller: RequestContext | null, call: InProcessCall) => Promise<InProcessResponse> {
  const running = new AsyncLocalStorage<true>()
  /** The stages of a call that belongs to nobody. It has no key, so the limits of keys do not apply. */
  const stagesOfNobody: readonly Stage[] = [observe, limitTogether, limitByPlan, capture, handleIfTaken]
  let open = 0

  return async (caller, call) => {
    // A route that calls itself would never end.
    if (running.getStore() === true) return plain(508, { error: 'a call within a call is refused' })
    if (open >= MAX_CALLS) return plain(503, { error: `at most ${MAX_CALLS} calls can run at once` })
    open++
    try {
      return await running.run(true, () => runCall(caller, call))
    } finally {
      open--
      // Tracking the async context costs time in every request while it is enabled.
      if (open === 0) running.disable()
    }
  }

  async function runCall(caller: RequestContext | null, call: InProcessCall): Promise<InProcessResponse> {
    const { method, path, query = '', headers = {}, body = Buffer.alloc(0) } = call
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = call
    const origin = caller === null ? ofNobody(call) : ofCaller(caller)
    const target = query === '' ? path : `${path}?${query}`
    const prefixed = caller === null ? takeSessionPrefix(target) : null
    const url = prefixed?.target ?? target
    const decoded = decodedPath(url)
    if (caller === null && decoded !== null && isBelow(decoded, '/_svc'))
      return plain(403, { error: 'a call cannot reach the control plane' })
    const current = generation()
    const request = createRequest(
      { method, url, headers: { ...settable(headers, caller), ...origin.headers }, body },
      origin.peerAddress,
    )
    // A URL of a host or a prefix that a plugin serves whole, as a document names it.
    const { hosts } = current
    const mount =
      caller !== null || decoded === null ? null : (hosts.mountOf(origin.origin.host) ?? hosts.prefixOf(decoded))
    if (caller === null && mount === null && decoded !== null && hosts.isReserved(decoded))
      return plain(404, { error: 'not_found' })
    const routeTarget = mount?.routed(url) ?? url
    const routed = { mount, routeTarget, route: decoded === null ? null : current.routes.find(method, routeTarget) }
    const response = new CollectedResponse(request) as InstanceType<typeof CollectedResponse> & Collected
    const context = new RequestContext({
      request,
      response,
      listener: origin.listener,
      generation: current,
      facts: { ...facts, clientIp: () => origin.clientIp, origin: () => origin.origin, prefix: () => origin.prefix },
      path: decoded,
      ...routed,
      upgrade: null,
      pathSession: prefixed?.session ?? origin.pathSession,
      activity: null,
    })
    context.knownRequestId = request.headers['x-request-id'] as string
    context.body = body
    context.isBodyRead = true
    context.isOfNobody = caller === null
    response.context = context
    response.assignSocket(request.socket)
    current.retain()
    return new Promise((resolve, reject) => {
      const stop = (reason: string): void => {
        reject(new Error(reason))
        context.abort(reason)
        response.destroy()
      }
      const stopWithCaller = (): void => stop('the client disconnected')
      caller?.signal.addEventListener('abort', stopWithCaller, { once: true })
      const timer = setTimeout(() => stop(`the route did not answer within ${timeoutMs} ms`), timeoutMs)
      response.limit = { maxBytes, exceed: () => stop(`the response has more than ${maxBytes} bytes`) }
      response.on('finish', () => {
        resolve({ status: response.statusCode, headers: response.sent, body: Buffer.concat(response.chunks) })
        request.socket.destroy()
      })
      response.on('close', () => {
        clearTimeout(timer)
        caller?.signal.removeEventListener('abort', stopWithCaller)
        reject(new Error('the route closed the connection'))
        context.close(response.writableFinished)
      })
      if (caller === null) return runStages(stagesOfNobody, context, pipeline())
      const isAdmitted = admit(context)
      if (isAdmitted === true) handle(context)
      else if (isAdmitted !== false)
        isAdmitted.then(admitted => admitted && handle(context)).catch((error: Error) => stop(error.message))
    })
  }

  /** The checks of the control plane. False if they have refused the call. */
  function admit(context: RequestContext): boolean | Promise<boolean> {
    const { browserAccess, controlAuth } = pipeline()
    const refusal = browserAccess.guards(context.path) ? browserAccess.check(context) : null
    if (refusal === null) return authenticateControl(context, { controlAuth })
    sendResponse(context, refusal)
    return false
  }

  function handleIfTaken(context: RequestContext): boolean {
    if (context.route === null || takesFromNobody(context.route, context.method)) handle(context)
    else sendResponse(context, { status: 403, body: { error: "a call in nobody's name cannot reach this route" } })
    return true
  }

  function handle(context: RequestContext): void {
    const limit = bodyLimitOf(context, pipeline().config.bodyLimit)
    if (context.path === null)
      sendResponse(context, { status: 400, body: badRequest('malformed percent-encoding in the request target') })
    else if (context.route === null) sendUnrouted(context, context.path)
    else if (context.body.length > limit)
      sendError(context, { status: 413, kind: 'payload_too_large', body: payloadTooLarge(limit, context) })
    else {
      const isDecoded = decodeBody(context, pipeline().rules)
      if (isDecoded === true) callRoute(context)
      else void isDecoded.then(isHere => isHere && callRoute(context))
    }
  }

  function callRoute(context: RequestContext): void {
    context.isRouted = true
    if (context.routeTarget !== context.url) rewriteTarget(context.request, context.routeTarget)
    context.generation.handle(context.request, context.response)
  }

  function ofNobody({ baseUrl, headers }: InProcessCall): CallOrigin {
    const base = new URL(baseUrl ?? `http://localhost:${httpPort() ?? 80}${facts.prefix({})}`)
    const port = Number(base.port) || (base.protocol === 'https:' ? 443 : 80)
    const scheme = base.protocol === 'https:' ? 'https' : 'http'
    const host = Object.keys(headers ?? {}).find(name => name.toLowerCase() === 'host')
    const session = /\/s\/([\w.:-]{1,128})\/?$/.exec(base.pathname)
    return {
      listener: { name: scheme, kind: scheme, scheme, port, mount: null, grpc: null },
      clientIp: CALLER_ADDRESS,
      peerAddress: undefined,
      origin: facts.origin({ headers: { host: base.host }, scheme, port }),
      prefix: session === null ? base.pathname.replace(/\/$/, '') : base.pathname.slice(0, session.index),
      pathSession: session?.[1] ?? null,
      headers: host === undefined ? { host: base.host } : {},
    }
  }
}

/** Where a call seems to come from. */
interface CallOrigin {
  listener: RequestContext['listener']
  clientIp: string
  peerAddress: string | undefined
  origin: Origin
  prefix: string
  pathSession: string | null
  headers: Record<string, string>
}

function ofCaller(caller: RequestContext): CallOrigin {
  const { request, listener, clientIp, peerAddress, origin, session } = caller
  const own = OF_CALLER.flatMap(name => {
    const value = headerText(request.headers, name === 'host' && isHttp2(request) ? ':authority' : name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const headers = Object.fromEntries(own)
  if (session.header !== null) headers['x-svc-session'] = session.header
  return {
    listener,
    clientIp,
    peerAddress,
    origin,
    prefix: caller.basePrefix,
    pathSession: caller.pathSession,
    headers,
  }
}

/** The headers of the call, without credentials and what it takes from the caller. */
function settable(headers: Record<string, string>, caller: RequestContext | null): Record<string, string> {
  const reserved = caller === null ? CREDENTIALS : OF_CALLER
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !reserved.includes(name.toLowerCase())))
}

function plain(status: number, body: object): InProcessResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) }
}

/** A socket that accepts everything that is written. */
class NullSocket extends Duplex {
  readonly remoteAddress: string | undefined

  constructor(remoteAddress: string | undefined) {
    super()
    this.remoteAddress = remoteAddress
  }
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }
}

function createRequest(
  { method, url, headers, body }: Required<Pick<InProcessCall, 'method' | 'headers' | 'body'>> & { url: string },
  peerAddress: string | undefined,
): IncomingMessage {
  const request = new IncomingMessage(new NullSocket(peerAddress) as unknown as Socket)
  request.method = method
  request.url = url
  request.httpVersion = '1.1'
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  const fields = Object.entries(headers)
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
