/**
 * Everything the core knows about one request, from its arrival to its end. All layers and `svc.http` read it. A field is written
 * by its own methods and by the files that its group names; the test `unit/core/context-owners` checks it. Plugins do not see it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ConnectionActivity } from '../sockets/connection-activity.ts'
import type {
  AnyRequest,
  CoreFailure,
  FaultOrigin,
  Origin,
  ResponseEnd,
  RouteDescription,
  SessionKey,
} from '../../contract/plugin.ts'
import type { ServiceDecision } from '../../contract/observation.ts'
import type { OutputBudget } from '../../contract/budgets.ts'
import type { Notifications } from '../../inspector/captured-request.ts'
import type { RuleStep } from '../../contract/testing.ts'
import type { RuleEntry } from '../../rules/rule-entry.ts'
import type { ResponseAddition } from '../../contract/responses.ts'
import type { ProxyHeader } from '../../contract/proxy-header.ts'
import { sourceOf } from '../sockets/proxy-protocol/header.ts'
import { proxyHeaderOf } from '../sockets/proxy-protocol/reader.ts'
import type { ControlScope } from '../../contract/control-scope.ts'
import type { ConnectionFault } from '../../rules/fault-headers.ts'
import type { KeyRecord } from '../../keys/api-key.ts'
import type { KeyAdmission } from '../../keys/key-limits.ts'
import type { Lease } from '../../limits/lease.ts'
import type { SpanDetails } from '../../tracing/span-details.ts'
import type { TraceContext } from '../../tracing/trace-context.ts'
import type { Handshake } from '../sockets/handshake.ts'
import type { HeaderDeadlines, Waiting } from './header-deadlines.ts'
import { decodedPath } from '../../fields/request-target.ts'
import type { HostMount } from '../routes/host-mounts.ts'
import type { CoreRoute } from '../routes/route-record.ts'
import type {
  BodyReading,
  CodedBody,
  EgressCounter,
  ListenerFacts,
  OpenWebSocket,
  ReceivedChunks,
  RequestFollower,
  ResponseInUse,
  RoutingGeneration,
  ServerRequest,
  UnsentBytes,
} from './types.ts'
import { newRequestId, type RequestFactsSource } from './request-facts.ts'
import type { ResponseCopy } from '../../inspector/response-copy.ts'
import type { UnsentMemory } from '../../limits/unsent-memory.ts'

export const EMPTY_BODY = Buffer.alloc(0)

/** Maximum length of a recorded fault source. */
const MAX_SOURCE = 200
const NO_TAGS: readonly string[] = []

const kContext = Symbol('svc.context')
interface WithContext {
  [kContext]?: RequestContext
}

export class RequestContext implements Waiting<RequestContext> {
  // ---------- As it arrived. Not written again.

  readonly request: ServerRequest
  readonly listener: ListenerFacts
  readonly generation: RoutingGeneration
  readonly facts: RequestFactsSource
  /** In milliseconds on the monotonic clock. */
  readonly startedAt = performance.now()
  readonly method: string
  /** Path and query as received, without the base path. */
  readonly url: string
  /** The target that is routed: `url`, or on a host that a plugin serves whole, `url` below the plugin's mount. */
  readonly routeTarget: string
  /** The host that a plugin serves whole; null: an ordinary one. */
  readonly mount: HostMount | null
  /** Host and port of a target in absolute form, which count instead of those of `Host`. */
  readonly authority: string | null
  /** The decoded path without query; null if its percent-encoding is malformed. */
  readonly path: string | null
  /** Number of entries of `request.rawHeaders` as received; svc may add others behind them. */
  readonly receivedHeaderCount: number
  /** The matching route, even if the request is rejected later. */
  readonly route: CoreRoute | null
  /** The connection, if this is a WebSocket handshake. */
  readonly upgrade: Handshake | null
  /** The session in the path prefix, which was removed. */
  readonly pathSession: string | null

  // ---------- What serves it; replaced at most once. Written by host/generation.ts, host/svc/http.ts.

  /** The current response; replaced once if an upgrade is passed to the WebSocket server. */
  response: ResponseInUse
  /** The description that applies, if the route has several. */
  description: RouteDescription | null

  // ---------- Its way through the listener and the pipeline. Written by host/svc/http.ts,
  // host/svc/media-type-call.ts, http/listener/handle-request.ts, http/listener/in-process-call.ts,
  // http/pipeline/pipeline.ts.

  /** The request id; null in load mode until something reads `requestId`. */
  knownRequestId: string | null = null
  /** Whether the client sent no request id. */
  isRequestIdGenerated = false
  /** Whether this is a call in nobody's name (`svc.http.call(null, …)`), which no guard admits. */
  isOfNobody = false
  /** Whether the request reached its route. */
  isRouted = false
  /** Added to the `Vary` header of the route. */
  vary: string | null = null
  /** Whether `X-Request-Id` and the CORS headers are added to the response headers. */
  hasDefaultHeaders = false
  /** Value of `Access-Control-Allow-Origin`; null for none. */
  allowedOrigin: string | null = null
  /** Link in the queue of response timeouts. */
  deadlines: HeaderDeadlines<RequestContext> | null = null
  /** Counts unsent bytes; null for a call in process. */
  unsentMemory: UnsentMemory | null = null

  // ---------- Its body. Written by http/listener/handle-request.ts, http/listener/in-process-call.ts,
  // http/listener/served-arrival.ts, http/pipeline/read-body.ts, http/pipeline/rules/taking.ts,
  // http/pipeline/streamed-body.ts, http/request/decoded-body.ts.

  /** As received. */
  body: Buffer = EMPTY_BODY
  /** Without its content coding; null if it has none, or can't be decoded. */
  decodedBody: Buffer | null = null
  /** Why the body can't be decoded: a `ContentCodingError`, or an error of the budget. */
  codingError: Error | null = null
  /** Set while the body is being received. */
  reading: BodyReading | null = null
  /** What has arrived of a body that the route reads as it arrives. */
  streamed: ReceivedChunks | null = null
  /** Whether the body was read before its stage, for the conditions of rules. */
  isBodyRead = false
  /** Whether the client waits for `100 Continue` before it sends the body. */
  expectsContinue = false

  // ---------- A request that the tap has claimed and its route answers. Written by http/listener/served-arrival.ts.

  /** The rule that acts on it, and what plugins note of it; null for all other requests. */
  served: { rule: RuleEntry | null; notes: Record<string, unknown> } | null = null

  // ---------- Its trace. Written by http/pipeline/stages/tracing.ts.

  /** The trace context; null if the request has none and spans are not exported. */
  trace: TraceContext | null = null
  /** What routes add to the span; null if no span is recorded. */
  span: SpanDetails | null = null

  // ---------- Access to the control plane. Written by http/pipeline/stages/control-auth.ts.

  /** Whether control-plane credentials of the request count as the admin token. */
  controlAdmin = false
  /** The scopes of the credential that the control plane accepted. */
  controlScopes: readonly ControlScope[] = []
  /** Whether the control plane has accepted a credential of this request. */
  hasControlCredential = false

  // ---------- What plugins add to the response. Written by http/response/additions.ts.

  /** Null: nothing. */
  additions: ResponseAddition[] | null = null
  /** Whether plugins observe the response. */
  isObserved = false
  /** Whether trailers can follow the body, once the head was sent. */
  canTrail = false

  // ---------- Limits of the plan and of API keys. Written by host/svc/media-type-call.ts,
  // http/pipeline/stages/api-key.ts, http/pipeline/stages/plan-limits.ts, http/response/response.ts.

  /** The lease of the plan; null if no limit applies. */
  lease: Lease | null = null
  /** Shared mode: the holder of the key of the request, and its admission. */
  apiKey: KeyRecord | null = null
  keyAdmission: KeyAdmission | null = null
  /** Last check before the response headers are sent; returns false if it has sent another response instead. */
  gate: ((context: RequestContext) => boolean) | null = null
  /** Whether the plan rejected the response of a route: the 429 comes from the limiter. */
  isRefused = false

  // ---------- Rules and faults. Written by http/pipeline/rules/acting.ts, http/pipeline/rules/answering.ts,
  // http/pipeline/stages/encoding.ts, http/pipeline/stages/expectation.ts, http/response/connection-faults.ts.

  /** Name of the rule that acted on the request. */
  rule: string | null = null
  /** Whether a rule keeps the request out of the inspector. */
  isHidden = false
  /** Whether a rule keeps the request out of the inspector and the access log. */
  isQuiet = false
  /** What handles the request in place of its route: the step of a rule. */
  stepCall: ((request: FastifyRequest, reply: FastifyReply) => unknown) | null = null
  /** The requests that a rule sends after the response; null if it sends none. */
  notified: Notifications | null = null
  /** The steps of that rule which the route applies. */
  ruleSteps: readonly RuleStep[] = []
  /** Whether the request is what its header `X-Svc-Expect` says; null without one. */
  expectation: 'met' | 'failed' | null = null
  /** Whether `X-Svc-Encoding` says how the response is coded, which rules do not change then. */
  hasOwnEncoding = false
  /** Whether the response is the one of `X-Svc-Answer`. */
  answer: 'applied' | null = null
  /** The value of `X-Svc-Fault` and of the metric label. */
  fault: string | null = null
  /** What requested the fault. */
  faultSource: string | null = null
  faultOrigin: FaultOrigin | null = null
  /** How `X-Svc-Abort` or a rule breaks the connection. */
  abortKind: ConnectionFault | null = null
  /** Request headers that could not be parsed, with the expected values: `X-Svc-Ignored`. */
  ignored: string[] | null = null

  // ---------- What plugins add to the entry of the inspector. Written by host/svc/inspector.ts.

  /** What the request asked as a call of a service, and what was decided. */
  service: ServiceDecision | null = null
  /** What plugins noticed about the request. */
  tags: readonly string[] = NO_TAGS

  // ---------- A call of a plugin (gRPC). Written by host/svc/media-type-call.ts.

  /** The plugin that handles the request as a call (gRPC); null if it passes through the pipeline. */
  call: string | null = null
  /** The status of a gRPC call, once known. */
  grpcStatus: number | null = null

  // ---------- Its response. Written by host/svc/budgets.ts, host/svc/streams.ts, http/pipeline/rules/encoding.ts, http/response/coded-response.ts,
  // http/response/response.ts, http/response/rule-response.ts, http/response/send.ts, http/response/unsent-response.ts, http/streams/websockets.ts.

  /** Why the core sent an error instead of a route. */
  failure: CoreFailure['kind'] | null = null
  /** The status that was sent; 0 before. */
  status = 0
  /** Bytes of the response body that were written. */
  bytesSent = 0
  /** Whether the response headers announce an event stream, or it is a feed; known when `onHead` is called. */
  isEventStream = false
  /** The response is a stream of events in another format. */
  isFeed = false
  /**
   * Whether the response is streamed: by this instance, or passed on as another server streams it. Null: known by its media type
   * alone.
   */
  streaming: 'own' | 'passed' | null = null
  /** Whether the event stream was opened through `svc.streams`, which ends it at the end of its lifetime. */
  isInRegistry = false
  /** Limits of the resulting WebSocket. */
  webSocket: OpenWebSocket | null = null
  /** The content coding of the response, if the request or a rule asks for one. */
  coding: CodedBody | null = null
  /** The unsent bytes of the response, once there were any. */
  unsent: UnsentBytes | null = null
  /** The budget of the answer, once something has asked for it. */
  output: OutputBudget | null = null
  closed = false

  // ---------- Observation. Written by host/svc/media-type-call.ts, http/pipeline/rules/acting.ts,
  // http/pipeline/stages/capture.ts, http/pipeline/stages/observation.ts, http/response/coded-response.ts.

  /** Shows what plugins note in the entry that was captured already; null before, and once the response has ended. */
  showNotes: (() => void) | null = null
  /** Notified of response headers and end, once the request has passed it. */
  observer: (RequestFollower<RequestContext> & EgressCounter) | null = null
  /** Whether the inspector captures it. */
  isCaptured = false
  /** The beginning of the response, if the inspector captures the request. */
  copy: ResponseCopy | null = null

  // ---------- The queue of response timeouts. Written by http/request/header-deadlines.ts.

  headersDueAt = 0
  waitsBefore: RequestContext | null = null
  waitsAfter: RequestContext | null = null

  readonly #activity: ConnectionActivity | null
  /** When the response headers were sent, on the monotonic clock. */
  #respondedAt = 0
  #isFinished = false
  #isBrokenOff = false
  #onHead: (() => void)[] | null = null
  #onClose: ((finished: boolean) => void)[] | null = null

  #clientIp: string | undefined
  #origin: Origin | undefined
  #prefix: string | undefined
  #basePrefix: string | undefined
  #session: SessionKey | undefined
  #abort: AbortController | undefined

  constructor(init: {
    request: ServerRequest
    response: ResponseInUse
    listener: ListenerFacts
    generation: RoutingGeneration
    facts: RequestFactsSource
    /** Default: `url` of the request. */
    routeTarget?: string
    mount?: HostMount | null
    authority?: string | null
    path: string | null
    route: CoreRoute | null
    upgrade: Handshake | null
    pathSession?: string | null
    /** Counts as busy until the response ends. */
    activity: ConnectionActivity | null
  }) {
    this.request = init.request
    this.response = init.response
    this.listener = init.listener
    this.generation = init.generation
    this.facts = init.facts
    this.method = init.request.method ?? 'GET'
    this.url = init.request.url ?? '/'
    this.receivedHeaderCount = init.request.rawHeaders.length
    this.routeTarget = init.routeTarget ?? this.url
    this.mount = init.mount ?? null
    this.authority = init.authority ?? null
    this.path = init.path
    this.route = init.route
    this.description = init.route?.descriptions[0] ?? null
    this.upgrade = init.upgrade
    this.pathSession = init.pathSession ?? null
    this.#activity = init.activity
    ;(init.request as WithContext)[kContext] = this
  }

  /** Generated when it is first read, if it is not known. */
  get requestId(): string {
    return (this.knownRequestId ??= newRequestId())
  }

  get peerAddress(): string {
    return this.request.socket?.remoteAddress ?? ''
  }

  /** The PROXY protocol header of the connection; null without one. */
  get proxyHeader(): ProxyHeader | null {
    const { socket } = this.request
    return socket == null ? null : proxyHeaderOf(socket)
  }

  get clientIp(): string {
    return (this.#clientIp ??= this.facts.clientIp(
      this.request.headers,
      sourceOf(this.proxyHeader) ?? this.peerAddress,
    ))
  }

  get origin(): Origin {
    return (this.#origin ??= this.facts.origin({
      headers: this.request.headers,
      authority: this.authority,
      scheme: this.listener.scheme,
      port: this.listener.port,
    }))
  }

  /** The scheme that the client used; cheaper than `origin`. */
  get scheme(): 'http' | 'https' {
    return this.facts.trustsForward ? this.origin.scheme : this.listener.scheme
  }

  /** The prefix of every path that svc generates: empty, or `/...` without a trailing slash. */
  get prefix(): string {
    return (this.#prefix ??= this.basePrefix + (this.pathSession === null ? '' : `/s/${this.pathSession}`))
  }

  /** The decoded path that is routed: what exemptions are about. Null if its percent-encoding is malformed. */
  get routedPath(): string | null {
    return this.routeTarget === this.url ? this.path : decodedPath(this.routeTarget)
  }

  /** Path of a path of the service as the client reaches it: with the prefix, on a host of a plugin without its mount. */
  pathFor(path: string): string {
    return this.prefix + (this.mount?.shown(path) ?? path)
  }

  /** URL of a path of the service as the client reaches it. */
  urlFor(path: string): string {
    return this.origin.serialized + this.pathFor(path)
  }

  /** The prefix without the session: of a gateway, or the base path. */
  get basePrefix(): string {
    return (this.#basePrefix ??= this.facts.prefix(this.request.headers))
  }

  /** Origin and prefix of every URL that svc generates. */
  get baseUrl(): string {
    return this.origin.serialized + this.prefix
  }

  get session(): SessionKey {
    return (this.#session ??= this.facts.session(this))
  }

  /** Aborts when the client disconnects, the response timeout expires, or the response ends. */
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

  /** The matching template, in the notation of the catalog; `unmatched` if none matched. */
  get routeLabel(): string {
    return this.description?.path ?? this.route?.path ?? 'unmatched'
  }

  /**
   * Milliseconds from arrival until the response headers were sent or the client disconnected; rounded to hundredths.
   */
  get latencyMs(): number {
    return Math.round((this.#respondedAt - this.startedAt) * 100) / 100
  }

  /** Records a request header that is ignored because its value cannot be parsed; `expected` describes valid values. */
  ignore(name: string, expected: string): void {
    ;(this.ignored ??= []).push(`${name}; ${expected}`)
  }

  /** Template of the route that was called; null if none was. */
  get calledRoute(): string | null {
    if (!this.isRouted) return null
    return this.call === null ? this.routeLabel : this.path
  }

  /** Plugin of the route that was called; null for the core or no route. */
  get calledPlugin(): string | null {
    return this.isRouted ? (this.call ?? this.route?.plugin ?? null) : null
  }

  /** How the answer ended, as far as it has. */
  get ended(): ResponseEnd {
    if (this.#isBrokenOff) return 'aborted'
    if (!this.closed) return 'open'
    return this.#isFinished && this.status !== 0 ? 'complete' : 'client_left'
  }

  /** Records the injected fault, what requested it, and what kind of thing that was. */
  injects(fault: string, source: string, origin: FaultOrigin = 'endpoint'): void {
    this.fault = fault
    this.faultSource = source.slice(0, MAX_SOURCE)
    this.faultOrigin = origin
  }

  /** Call it when svc breaks the response off. If no response headers were sent, the request is reported now. */
  breakOff(): void {
    if (this.#isBrokenOff || this.closed) return
    this.#isBrokenOff = true
    if (this.status !== 0) return
    this.#respondedAt = performance.now()
    this.stopWaiting()
    this.observer?.onBreak(this)
  }

  countEgress(bytes: number): void {
    this.bytesSent += bytes
    this.observer?.addEgress(bytes)
    this.lease?.addEgress(bytes)
  }

  /** Calls back when the response headers are sent. */
  whenHead(callback: () => void): void {
    ;(this.#onHead ??= []).push(callback)
  }

  /** Calls back once, when the response ends or the connection is closed. */
  whenClosed(callback: (finished: boolean) => void): void {
    ;(this.#onClose ??= []).push(callback)
  }

  /** Call it once, when the response headers are sent. */
  headGoesOut(status: number): void {
    this.status = status
    this.#respondedAt = performance.now()
    this.stopWaiting()
    this.observer?.onHead(this)
    if (this.#onHead !== null) for (const callback of this.#onHead) callback()
  }

  /** Stops the response timeout. */
  stopWaiting(): void {
    this.deadlines?.remove(this)
    this.deadlines = null
  }

  /** Ends everything that belongs to the request; only the first call has an effect. */
  close(finished: boolean): void {
    if (this.closed) return
    this.closed = true
    this.#isFinished = finished
    if (this.status === 0 && !this.#isBrokenOff) this.#respondedAt = performance.now()
    this.stopWaiting()
    this.#abort?.abort(finished ? 'done' : 'client')
    this.generation.release()
    this.observer?.onClose(this)
    this.lease?.release()
    this.output?.release()
    if (this.#onClose !== null) for (const callback of this.#onClose) callback(finished)
    // This comes last: a pipelined request that waited for this one starts here, and must find its resources free.
    this.#activity?.leave()
  }
}

/** The context of a Fastify or Node request. */
export function contextOf(request: AnyRequest): RequestContext {
  const raw = 'raw' in request ? request.raw : request
  const context = (raw as WithContext)[kContext]
  if (context === undefined) throw new Error('this request did not pass through the svc pipeline')
  return context
}
