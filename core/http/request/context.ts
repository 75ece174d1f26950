/** What the core knows of one request, from its arrival to its end. Every layer and `svc.http` read it. */
import type { ConnectionActivity } from '../listener/connection-activity.ts'
import type { AnswerEnd, AnyRequest, Origin, RouteDescription, SessionKey } from '../../contract/plugin.ts'
import type { KeyRecord } from '../../keys/api-key.ts'
import type { KeyAdmission } from '../../keys/key-limits.ts'
import type { Lease } from '../../limits/lease.ts'
import type { TraceContext } from '../../tracing/trace-context.ts'
import type { Handshake } from '../listener/handshake.ts'
import { firstHeader } from './header.ts'
import type { HeaderDeadlines, Waiting } from '../pipeline/header-deadlines.ts'
import type { CoreRoute } from '../pipeline/route-record.ts'
import type {
  BodyReading,
  EgressCounter,
  ListenerFacts,
  RequestFollower,
  ResponseInUse,
  RoutingGeneration,
  ServerRequest,
} from './types.ts'
import type { RequestFactsSource } from './request-facts.ts'
import type { RegisteredWebSocket } from '../streams/websocket-stream.ts'

export const EMPTY_BODY = Buffer.alloc(0)

/** Characters of what asked for a fault that are kept. */
const MAX_SOURCE = 200

const kContext = Symbol('svc.context')
interface WithContext {
  [kContext]?: RequestContext
}

export class RequestContext implements Waiting<RequestContext> {
  readonly request: ServerRequest
  /** The response in use; replaced once when an upgrade is handed to the WebSocket server. */
  response: ResponseInUse
  readonly listener: ListenerFacts
  readonly generation: RoutingGeneration
  readonly facts: RequestFactsSource
  /** Milliseconds of the monotonic clock. */
  readonly startedAt = performance.now()
  readonly method: string
  /** Decoded path without query; null when its percent-encoding is malformed. */
  readonly path: string | null
  /** The route that matches, whatever may still refuse the request. */
  readonly route: CoreRoute | null
  /** Of several descriptions the one that is served. */
  description: RouteDescription | null
  /** The connection when this is a WebSocket handshake. */
  readonly upgrade: Handshake | null
  requestId = ''
  /** Its place in a trace; null: none came with it, and no spans are exported. */
  trace: TraceContext | null = null
  body: Buffer = EMPTY_BODY
  /** While the body arrives. */
  reading: BodyReading | null = null
  /** Added to the `Vary` of whatever the route sets. */
  vary: string | null = null
  /** `X-Svc-Fault` and what the metrics count. */
  fault: string | null = null
  /** What asked for the fault. */
  faultSource: string | null = null
  /** The plugin that has taken the request over, as a call (gRPC); null: it goes through the pipeline. */
  call: string | null = null
  /** The request got as far as its route. */
  isRouted = false
  /** Bytes of the response body that were written. */
  bytesSent = 0
  /** Of a gRPC call, once its status is known. */
  grpcStatus: number | null = null
  /** Request headers that could not be understood, with what was expected: `X-Svc-Ignored`. */
  ignored: string[] | null = null
  /** Credentials of the control plane that came with the request count as the admin token. */
  controlAdmin = false
  /** The sender waits for `100 Continue` before it sends the body. */
  expectsContinue = false
  /** The control plane has checked a credential of this request and taken it. */
  hasControlCredential = false
  /** What the request holds of the plan; null where no limit applies. */
  lease: Lease | null = null
  /** Shared mode: whose key came with the request, and what was counted of it. */
  apiKey: KeyRecord | null = null
  keyAdmission: KeyAdmission | null = null
  /** Whether the head that goes out announces an event stream; known when `onHead` is called. */
  isEventStream = false
  /** The event stream was opened through `svc.streams`, which ends it when its time has come. */
  isInRegistry = false
  /** The plan refused what a route was about to answer: the 429 in its place is the limiter's, not the route's. */
  isRefused = false
  /** Last word before the head goes out; false: another answer has been sent in its place. */
  gate: ((context: RequestContext) => boolean) | null = null
  /** Status of the head that was sent, 0 before. */
  status = 0
  /** Limits of the WebSocket that came of it. */
  webSocket: RegisteredWebSocket | null = null
  /** `X-Request-Id` and what CORS asks for go out with the head. */
  hasOwnHeaders = false
  /** Value of `Access-Control-Allow-Origin`; null: none. */
  allowedOrigin: string | null = null
  /** Who is told of head and end, once the request has met it. */
  observer: (RequestFollower<RequestContext> & EgressCounter) | null = null
  /** It is one for the inspector. */
  isCaptured = false
  /** Where the time until headers runs. */
  deadlines: HeaderDeadlines<RequestContext> | null = null
  headersDueAt = 0
  waitsBefore: RequestContext | null = null
  waitsAfter: RequestContext | null = null
  closed = false

  readonly #use: ConnectionActivity | null
  /** When the head went out; on the monotonic clock. */
  #settledAt = 0
  #isFinished = false
  #isBrokenOff = false
  #onHead: (() => void)[] | null = null
  #onClose: ((finished: boolean) => void)[] | null = null

  #clientIp: string | undefined
  #origin: Origin | undefined
  #prefix: string | undefined
  #session: SessionKey | undefined
  #abort: AbortController | undefined

  constructor(init: {
    request: ServerRequest
    response: ResponseInUse
    listener: ListenerFacts
    generation: RoutingGeneration
    facts: RequestFactsSource
    path: string | null
    route: CoreRoute | null
    upgrade: Handshake | null
    /** Counted as busy until the response is over. */
    use: ConnectionActivity | null
  }) {
    this.request = init.request
    this.response = init.response
    this.listener = init.listener
    this.generation = init.generation
    this.facts = init.facts
    this.method = init.request.method ?? 'GET'
    this.path = init.path
    this.route = init.route
    this.description = init.route?.descriptions[0] ?? null
    this.upgrade = init.upgrade
    this.#use = init.use
    ;(init.request as WithContext)[kContext] = this
  }

  /** Path and query as received, without the base path. */
  get url(): string {
    return this.request.url ?? '/'
  }

  get peerAddress(): string {
    return this.request.socket?.remoteAddress ?? ''
  }

  get clientIp(): string {
    return (this.#clientIp ??= this.facts.clientIp(this.request.headers, this.peerAddress))
  }

  get origin(): Origin {
    return (this.#origin ??= this.facts.origin({
      headers: this.request.headers,
      scheme: this.listener.scheme,
      port: this.listener.port,
    }))
  }

  /** What is in front of every path that the service generates: empty, or `/...` without a trailing slash. */
  get prefix(): string {
    return (this.#prefix ??= this.facts.prefix(this.request.headers))
  }

  /** Origin and prefix: what precedes the path in every URL that the service generates. */
  get baseUrl(): string {
    return this.origin.serialized + this.prefix
  }

  get session(): SessionKey {
    return (this.#session ??= this.facts.session(firstHeader(this.request, 'x-svc-session'), this.clientIp))
  }

  /** Aborts when the client leaves, the time until headers is over, or the response is done. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.closed) this.#abort.abort()
    }
    return this.#abort.signal
  }

  abort(reason: string): void {
    this.#abort?.abort(reason)
  }

  /** The template that matched, in the catalog's notation; `unmatched` when none did. */
  get routeLabel(): string {
    return this.description?.path ?? this.route?.path ?? 'unmatched'
  }

  /** Milliseconds from the arrival until the head went out, or the client left before; to a hundredth. */
  get latencyMs(): number {
    return Math.round((this.#settledAt - this.startedAt) * 100) / 100
  }

  /** Notes a request header that has no effect because its value can't be understood; `expected` is what it may hold. */
  ignore(name: string, expected: string): void {
    ;(this.ignored ??= []).push(`${name}; ${expected}`)
  }

  /** Template of the route that was called; null: none was. */
  get calledRoute(): string | null {
    if (!this.isRouted) return null
    return this.call === null ? this.routeLabel : this.path
  }

  /** Plugin of the route that was called; null: the core's, or none. */
  get calledPlugin(): string | null {
    return this.isRouted ? (this.call ?? this.route?.plugin ?? null) : null
  }

  /** How the answer ended, as far as it has. */
  get ended(): AnswerEnd {
    if (this.#isBrokenOff) return 'aborted'
    if (!this.closed) return 'open'
    return this.#isFinished && this.status !== 0 ? 'complete' : 'client_left'
  }

  /** Notes the fault that acts, and what asked for it. */
  injects(fault: string, source: string): void {
    this.fault = fault
    this.faultSource = source.slice(0, MAX_SOURCE)
  }

  /** To be called when the service breaks the answer off. Where no head went out, the request is reported now. */
  breaksOff(): void {
    if (this.#isBrokenOff || this.closed) return
    this.#isBrokenOff = true
    if (this.status !== 0) return
    this.#settledAt = performance.now()
    this.stopWaiting()
    this.observer?.onBreak(this)
  }

  countEgress(bytes: number): void {
    this.bytesSent += bytes
    this.observer?.addEgress(bytes)
    this.lease?.addEgress(bytes)
  }

  /** Calls back when the head goes out. */
  whenHead(callback: () => void): void {
    ;(this.#onHead ??= []).push(callback)
  }

  /** Calls back once, when the response is over or the connection is gone. */
  whenClosed(callback: (finished: boolean) => void): void {
    ;(this.#onClose ??= []).push(callback)
  }

  /** To be called once, when the head goes out. */
  headGoesOut(status: number): void {
    this.status = status
    this.#settledAt = performance.now()
    this.stopWaiting()
    this.observer?.onHead(this)
    if (this.#onHead !== null) for (const callback of this.#onHead) callback()
  }

  /** The time until headers no longer runs. */
  stopWaiting(): void {
    this.deadlines?.remove(this)
    this.deadlines = null
  }

  /** Ends everything that hangs on the request; the first call counts. */
  close(finished: boolean): void {
    if (this.closed) return
    this.closed = true
    this.#isFinished = finished
    if (this.status === 0 && !this.#isBrokenOff) this.#settledAt = performance.now()
    this.stopWaiting()
    this.#abort?.abort(finished ? 'done' : 'client')
    this.generation.release()
    this.observer?.onClose(this)
    this.lease?.release()
    if (this.#onClose !== null) for (const callback of this.#onClose) callback(finished)
    // Last: a pipelined request that waited for this one begins here, and must find free what this one held.
    this.#use?.leave()
  }
}

/** The context of a request of Fastify or Node. */
export function contextOf(request: AnyRequest): RequestContext {
  const raw = 'raw' in request ? request.raw : request
  const context = (raw as WithContext)[kContext]
  if (context === undefined) throw new Error('this request did not pass through the svc pipeline')
  return context
}
