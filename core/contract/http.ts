/** `svc.http`: facts about requests, and responses. */
import type { ServedHost } from './hosts.ts'
import type { ProxyHeader } from './proxy-header.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { NegotiatedType } from '../fields/accept.ts'
import type { ControlScope } from './control-scope.ts'
import type { JsonObject } from './json.ts'
import type { LookUp } from '../toolkit/references.ts'
import type { AbortKind, FaultOrigin } from './observation.ts'
import type { RouteDescription } from './routes.ts'
import type { MatchFacts, RuleStep } from './testing.ts'

/** A request object of Fastify or of Node. */
export type AnyRequest = FastifyRequest | IncomingMessage | Http2ServerRequest

export interface SvcHttp {
  /** The request id: a valid `X-Request-Id` of the client, otherwise generated. */
  requestId(request: AnyRequest): string
  /** Whether svc generated the request id because the client sent none. */
  isRequestIdGenerated(request: AnyRequest): boolean
  /**
   * Headers that continue the trace of the request in a request to another server: `traceparent` with the span of the
   * request, and `tracestate`. Empty if the request has no trace.
   */
  traceHeaders(request: AnyRequest): Record<string, string>
  /**
   * The span of the request, to which a route adds what it knows until the response has ended; null if no span is
   * recorded.
   */
  span(request: AnyRequest): RequestSpan | null
  /**
   * The body, without its `Content-Encoding` (RFC 9110, 8.4); empty if the request has no body. Same as `request.body` on
   * routes that do not parse it. Throws an error with the status 415, 400 or 413 if the body has a coding that svc can't
   * remove, is not in this coding, or exceeds its limit when it is decoded. On routes with `streamsBody` it is as received.
   */
  body(request: FastifyRequest): Buffer
  /** The body as received, in its `Content-Encoding`: for routes that show, sign, store or pass on what was sent. */
  receivedBody(request: AnyRequest): Buffer
  /**
   * The body as it arrives, on routes with `streamsBody`; null if the request has none. Call it once. Ends with an
   * `IncompleteBody` if the client disconnects, or if the body exceeds its limit: the core has then sent the 413, unless
   * the response had begun. `body` has the complete body afterwards.
   */
  bodyStream(request: FastifyRequest): AsyncIterable<Buffer> | null
  /** Header lines as received, names and values alternating: `request.raw.rawHeaders` without those that svc added. */
  receivedHeaders(request: AnyRequest): readonly string[]
  /** Path and query as received, without `SVC_BASE_PATH`. Differs from `request.url` on a host of `svc.serveHost`. */
  target(request: AnyRequest): string
  /**
   * The session of the request, named by the path prefix `/s/{session}`, `X-Svc-Session` or another header, baggage, or a
   * credential; otherwise `ip:<client ip>`.
   */
  session(request: AnyRequest): SessionKey
  /** IP address of the client: from trusted proxy headers, otherwise of the connection. */
  clientIp(request: AnyRequest): string
  /** Scheme, host and port that the client used, taking trusted proxy headers into account. */
  origin(request: AnyRequest): Origin
  /**
   * Base URL of the service as clients reach it: `scheme://host[:port]`, followed by the path prefix of a gateway (trusted
   * `X-Forwarded-Prefix`, otherwise `SVC_BASE_PATH`). Without a trailing slash. Use `url` for a single URL.
   */
  baseUrl(request: AnyRequest): string
  /** Absolute URL of a path of the service, as clients reach it. `path` starts with `/` and may have a query. */
  url(request: AnyRequest, path: string): string
  /** Like `url`, but only the path with the gateway's prefix. For `Location` and links. */
  path(request: AnyRequest, path: string): string
  /** HTTPS URL of a path: same as `url` if the client used HTTPS, otherwise on the HTTPS listener of the same host. */
  httpsUrl(request: AnyRequest, path: string): string
  /**
   * The hosts that `svc.serveHost` serves from `mount`, or all (null), in the order in which they match. `path` is a path of
   * these hosts that answers GET, for the curl command; default `/`.
   */
  hosts(request: AnyRequest, mount: string | null, path?: string): ServedHost[]
  /** Aborts when the client disconnects, the request times out or the response is complete. */
  signal(request: AnyRequest): AbortSignal
  /** Whether the request carries the admin token or a control token with scope `admin`. */
  isAdmin(request: AnyRequest): boolean
  /**
   * Throws an `HttpError` with 401 or 403 if the admin token is required and the request lacks it. Requests that this instance has
   * sent itself, by `Via`, get 403.
   */
  guardAdmin(request: AnyRequest): void
  /**
   * Throws an `HttpError` with 403 or 421 if a web page of another origin may have sent the request, even if no credential is
   * required. For routes that reach more than this instance; `guardAdmin` includes it. `SVC_CORS_ORIGINS` and `SVC_HOSTS`
   * name pages that may.
   */
  guardBrowser(request: AnyRequest): void
  /** Sends `value` as JSON or XML, depending on `Accept`, and sets `Vary: Accept`. Uses the status and headers of `reply`. */
  negotiate(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply
  /** The type that `negotiate` would send for this request. Include it in strong entity tags. */
  negotiatedType(request: FastifyRequest): NegotiatedType
  /** Sends the 404 or 405 of a path without a route, formatted by `svc.unroutedForm` if set. */
  notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** On a route with several descriptions, tells the host which one applies to this request. */
  selectDescription(request: FastifyRequest, description: RouteDescription): void
  /**
   * Records a fault that an `ownFail` route injected, or the handler of a gRPC call (whose `reply` is null): sets `X-Svc-Fault` and counts it in the metrics. `kind` must be in
   * `faultKinds` of the definition. `source` is shown in the inspector, for example `X-Svc-Fail: overloaded`, and `origin`
   * (default: `endpoint`) says what kind of thing that is.
   */
  markFault(request: AnyRequest, reply: FastifyReply | null, kind: string, source?: string, origin?: FaultOrigin): void
  /**
   * Applies the rules stored for this request. For `ownFail` routes, after they have checked credentials; the core applies
   * rules on all other routes. Delays, aborted connections and fixed responses are applied by the core; `fail` and `reply`
   * are left to the route. Null: no rule can apply. `facts` reads the request for conditions of the route's own protocol,
   * instead of its `read`; it is called at most once, if a rule has such conditions.
   */
  applyRules(request: FastifyRequest, reply: FastifyReply, facts?: ProtocolFacts): Promise<RuleOutcome> | null
  /**
   * The steps of the rule that acted on this request, which the route applies: those in `steps` of its description. On routes with
   * `ownFail`, `applyRules` returns them.
   */
  ruleSteps(request: AnyRequest): readonly RuleStep[]
  /**
   * Finds the rule for a request that arrives within another one, such as a message on a socket or an item of a batch.
   * Conditions see its method, URL and body, and the headers, session and address of the outer request, unless it has its own.
   * The route applies what the rule does, the delay included. Rules that send a response do not act. Null: no rule can apply.
   */
  applyRulesToMessage(request: AnyRequest, message: RuleMessage, facts: ProtocolFacts): Promise<MessageRule> | null
  /**
   * The rule with conditions of this protocol that the request nearly meets, or a request within it; null if there is none.
   * For error messages: it evaluates all rules.
   */
  closestRule(request: AnyRequest, facts: ProtocolFacts, message?: RuleMessage | null): Promise<NearRule | null>
  /**
   * From now on the response is sent in a content coding, in place of that of `X-Svc-Encoding` or a rule; call it before the head is
   * written. Each part of a stream can be decoded when it arrives, unless `flushes` is false. The route sends `Vary`, and asks
   * whether the client accepts the coding (`preferredCoding` of the toolkit).
   */
  encodeResponse(
    request: AnyRequest,
    coding: 'gzip' | 'deflate' | 'br' | 'zstd',
    options?: { flushes?: boolean },
  ): Promise<void>
  /**
   * Compares a request with conditions in the form of `X-Svc-Expect`, or a request within it, and shows the result in
   * `X-Svc-Expectation`. For routes that find the conditions in a body, which they have read. Null: they hold.
   */
  checkExpectation(
    request: AnyRequest,
    conditions: string | JsonObject,
    message?: RuleMessage | null,
  ): Promise<ExpectationFailure | null>
  /**
   * Sends a response in the form of `X-Svc-Answer`, which the route has found in the request. Returns null if it was sent, otherwise
   * the 400 of the header: the value is not valid.
   */
  answer(request: FastifyRequest, reply: FastifyReply, value: JsonObject): Promise<ExpectationFailure | null>
  /** The PROXY protocol header of the connection; null without one. `clientIp` is its source already. */
  proxyHeader(request: AnyRequest): ProxyHeader | null
  /** The listener on which the request arrived. */
  listener(request: AnyRequest): { name: string; kind: 'http' | 'https' | 'grpc'; port: number }
  /**
   * Sends an interim response (RFC 9110, 15.2) before the response: 102, 103 or 104 with header lines of printable ASCII. HTTP/1.0
   * clients get none.
   */
  sendInterim(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    headers?: readonly (readonly [name: string, value: string])[],
  ): void
  /**
   * The session that a request within another one names, in the ways of every request: by a path prefix, a header, baggage or a
   * credential.
   */
  sessionIn(request: AnyRequest, places: SessionPlaces): NamedSession
  /** Breaks the connection, or the stream (HTTP/2), before anything is answered: the fault `X-Svc-Abort`. */
  breakConnection(request: AnyRequest, kind: AbortKind): void
  /** Aborts the response like an injected fault: destroys the connection or, over HTTP/2, resets the stream (INTERNAL_ERROR). */
  abortResponse(request: FastifyRequest, reply: FastifyReply): void
  /**
   * Reports that an invalid request header is ignored: the response gets `X-Svc-Ignored: <name>; <expected>`. `expected`
   * must be printable ASCII without line breaks.
   */
  ignoreHeader(request: FastifyRequest, name: string, expected: string): void
  /**
   * Waits `ms` milliseconds, at most the configured maximum delay. Resolves with false, without waiting any longer, if the
   * client disconnects.
   */
  delay(request: AnyRequest, ms: number): Promise<boolean>
  /**
   * The scopes of the control plane that the caller has, highest first: all of them if the control plane requires no
   * credential, otherwise those of the credential that it accepted for this request.
   */
  controlScopes(request: AnyRequest): readonly ControlScope[]
  /**
   * Runs a route of this instance without a connection. With a request, the call is in its name: it has its credentials,
   * session, client address and origin, and the control plane and `guardAdmin` check it like any other request. Otherwise
   * (null) it is in nobody's name, for deliveries to own paths and documents at own URLs: it has no credentials, reaches only
   * routes whose description has `takes` (others answer 403), and is counted, captured and limited like a request from
   * outside. Faults act on neither; a call in the name of a request is not counted again. A call within a call gets 508.
   * Rejects if the route does not answer in time, answers with too many bytes or breaks off, or if the client of `request`
   * disconnects. Do not call it before the plugins are registered.
   */
  call(request: AnyRequest | null, call: InProcessCall): Promise<InProcessResponse>
}

/** The span of a request (OpenTelemetry). Secrets that the inspector redacts are replaced in names and texts. */
export interface RequestSpan {
  /** Replaces `METHOD route`. */
  rename(name: string): void
  /** Adds attributes, up to 64. Undefined ones are left out; a later value replaces an earlier one, also those of the core. */
  set(attributes: Readonly<Record<string, SpanAttributeValue | undefined>>): void
}

export type SpanAttributeValue = string | number | boolean | readonly string[]

/** A request to a route of this instance. */
export interface InProcessCall {
  method: string
  /** Path without the prefix of a gateway, percent-encoded. */
  path: string
  /** Without `?`. */
  query?: string
  headers?: Record<string, string>
  body?: Buffer
  /**
   * What `svc.http.baseUrl` returns for the call; a session prefix (`/s/{session}`) at its end names the session. Default: that
   * of the request, or of the HTTP listener on `localhost`.
   */
  baseUrl?: string
  /** Default: 10000. */
  timeoutMs?: number
  /** Maximum size of the response body. Default: 1 MiB. */
  maxBytes?: number
}

/** The response of a route to an in-process call. */
export interface InProcessResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[]>
  body: Buffer
}

/** Reads the request for the conditions of one protocol. */
export interface ProtocolFacts {
  protocol: string
  read(): Promise<readonly MatchFacts[] | null>
  /** Whether a `reply` step fits the request; otherwise its rule does not match. */
  takesReply(reply: JsonObject): Promise<boolean>
  /** The steps of plugins that the route applies. Default: none. */
  steps?: readonly string[]
}

/** A rule that did not act on a request. */
export interface NearRule {
  name: string
  /** Where the request differs, such as `header.x-tenant`. Empty: the conditions hold, and the rule is exhausted or disabled. */
  differences: readonly string[]
}

/** A failure that a rule injects. */
export interface RuleFailure {
  status: number
  /** The word that the rule has instead of a status; null: it has a status. */
  word: string | null
  message: string | null
  /** `type` and `code` of the error, for formats that have them; null: those of the status. */
  type: string | null
  code: string | null
  retryAfterSecs: number | null
}

/** What rules did with a request, and what they leave to the route. */
export type RuleOutcome = RuleAct & {
  /** Steps of the same rule that come along, which the route asked for (`ProtocolFacts.steps`). */
  also?: readonly RuleStep[]
}

type RuleAct =
  /** The route continues. `rule` acted on the request; null: none did. */
  | { kind: 'pass'; rule: string | null }
  /** A response was sent, or the connection is gone: the route returns `reply`. */
  | { kind: 'answered' }
  | ({
      kind: 'fail'
      /** Name of the rule. */
      rule: string
    } & RuleFailure)
  | {
      kind: 'reply'
      rule: string
      /** As the rule has it; `readReply` of the protocol has checked it. */
      reply: JsonObject
      /** Number of the hit, from 0. */
      hit: number
      /** The values of references in texts of the reply, such as `request.header.x-tenant`. */
      lookUp: LookUp
    }
  /** A step of a plugin that answers, which the route asked for. */
  | ({ kind: 'step' } & RuleStep)

/** What is wrong with a request, as the body of its response: wrong conditions (400), or conditions that do not hold (417). */
export interface ExpectationFailure {
  status: 400 | 417
  body: object
}

/** A request within another one. */
export interface RuleMessage {
  method: string
  /** Path and query. */
  url: string
  body: Buffer
  /** Whether `abort` can act: otherwise rules with it do not. */
  canAbort: boolean
  /** Its headers, names and values alternating, with `host`. Default: those of the outer request, as for the others. */
  rawHeaders?: readonly string[]
  scheme?: 'http' | 'https'
  clientIp?: string
  /** The name of its session, whose rules and counters apply; null: none. */
  session?: string | null
  /** The step of a rule, which acts as if a rule in front of all others had matched; it is not counted. Throws if it is not valid. */
  step?: JsonObject
}

/** Where a request within another one may name its session. */
export interface SessionPlaces {
  /** Path and query. */
  url: string
  /** The first line of a header by its lower-case name. */
  header(name: string): string | undefined
}

/** The session that a request within another one names. */
export interface NamedSession {
  name: string | null
  from: SessionOrigin | null
  /** Path and query without the prefix of the session. */
  url: string
}

/** What a rule does with a request within another one. */
export type MessageRule = (
  | Exclude<RuleOutcome, { kind: 'answered' }>
  | { kind: 'abort'; rule: string; abort: AbortKind }
) & {
  /** To be waited for before anything else; at most the limit of the instance. */
  delayMs: number
  /** The facts of protocols that the conditions of the rule test, such as `service.phase`. */
  tested: readonly string[]
}

/** The session of a request. */
export interface SessionKey {
  /** Key for stores and limits. A header value and an IP address never have the same key. */
  key: string
  /** Text for responses. */
  label: string
  /** Name of the session, whichever way the client gave it; null if it did not. */
  header: string | null
  /** How the client named the session; null if it did not. */
  from: SessionOrigin | null
}

/** How a client names its session: by a path prefix, a header, W3C baggage, or a credential. */
export type SessionOrigin = 'path' | 'header' | 'baggage' | 'key'

/** Scheme, host and port of a request. */
export interface Origin {
  scheme: 'http' | 'https'
  /** Lower case; IPv6 addresses without brackets. */
  host: string
  port: number
  /** `scheme://host[:port]` without the default port (RFC 6454, 6.2). For comparison with `Origin`, not for URLs. */
  serialized: string
}
