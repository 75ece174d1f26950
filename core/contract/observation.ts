/** `svc.inspector`, `svc.pki` and `svc.metrics`: captured requests, client certificates and metrics. */
import type { ProxyHeader } from './proxy-header.ts'
import type { FastifyRequest } from 'fastify'
import type { AnyRequest, SessionOrigin } from './http.ts'
import type { webcrypto, X509Certificate } from 'node:crypto'

/**
 * How a response ended: `complete`, `aborted` by the service (because of a fault or a limit), or `client_left` if the client
 * disconnected. `open` while it is being sent.
 */
export type ResponseEnd = 'open' | 'complete' | 'aborted' | 'client_left'

/**
 * What requested a fault: a request `header`, a `query` parameter, a `directive` in the body, a `rule`, the `configuration` of a plugin, or the `endpoint`
 * itself.
 */
export type FaultOrigin = 'header' | 'query' | 'directive' | 'rule' | 'configuration' | 'endpoint'

/** How the connection was broken; see `X-Svc-Abort`. */
export type AbortKind = 'reset' | 'close' | 'empty' | 'truncate' | 'bad-chunk' | 'garbage'

/** What a gateway asked a service such as an authorization service about, and what that decided. */
export interface ServiceDecision {
  /** Name of the service, such as `authz`. */
  name: string
  /** What decided, such as the name of a policy. */
  policy: string | null
  /** The decision in one word, such as `deny`. */
  decision: string
  by: 'rule' | 'header' | 'policy'
  reason: string | null
  /** What of the decision the protocol of the call can't say. Default: nothing. */
  leftOut?: readonly string[]
  /** Phases of a stream; null for a single answer. */
  phases?: readonly string[] | null
  /** The facts for conditions of the protocol `service`; a list holds texts `name=value`. */
  facts: Readonly<Record<string, string | string[] | null>>
  /** The request that the call is about. */
  checked: {
    method: string
    /** Path and query. */
    url: string
    scheme: 'http' | 'https'
    clientIp: string
    session: string | null
    sessionFrom: SessionOrigin | null
    /** Names and values, alternating, with `host`. */
    rawHeaders: readonly string[]
    body: Buffer
  }
}

/** A call of a service as the inspector shows it. */
export interface ServiceCall {
  name: string
  policy: string | null
  decision: string
  by: 'rule' | 'header' | 'policy'
  reason: string | null
  left_out: readonly string[]
  phases: readonly string[] | null
  /** Id of the entry of the request that the gateway then sent; null if none arrived. */
  arrival: string | null
  /** Without credentials, as the request itself is shown. */
  checked: {
    method: string
    path: string
    query: string | null
    scheme: 'http' | 'https'
    host: string | null
    client_ip: string
    session: string | null
    headers: { name: string; value: string }[]
  }
}

/** A captured request, as in `GET /_svc/requests`. */
export interface InspectorEntry {
  id: string
  request_id: string
  timestamp: string
  method: string
  uri: string
  path: string
  query: string | null
  version: string
  headers: { name: string; value: string }[]
  client_ip: string
  /** Name of the listener that received it; null if it is unknown. */
  listener: string | null
  /** The PROXY protocol header of the connection; null without one. */
  proxy_protocol: ProxyHeader | null
  session: string | null
  /** How the client named the session; null without a session. */
  session_from: SessionOrigin | null
  /** The first 64 KiB of the body as received, if they are text. */
  body: string | null
  body_base64: string | null
  body_size: number
  body_truncated: boolean
  /** The first 64 KiB of the body without its `Content-Encoding`, which conditions test; null if it has none, or is not text. */
  body_decoded: string | null
  status: number
  latency_ms: number
  /** Status of a gRPC call; null for other requests and before the status is sent. */
  grpc_status: number | null
  /** The injected fault, if any. */
  fault: string | null
  /** What requested the fault, such as `X-Svc-Abort: truncate`, `?fail=overloaded`, a rule or a provider's configuration. */
  fault_source: string | null
  fault_origin: FaultOrigin | null
  /** How the connection was broken, if the fault did that. */
  abort: AbortKind | null
  /** Why the request ended as it did, such as `connection reset by X-Svc-Abort`; null for a normal response of the route. */
  end_reason: string | null
  /** Name of the rule that acted on the request; null if none did. */
  rule: string | null
  /** What the request asked as a call of a service; null if it was none. */
  service: ServiceCall | null
  /** What plugins noticed about the request, such as `violation:openai.tool-orphan`; at most 10. */
  tags: readonly string[]
  /** The requests that a rule has sent after the response, each with its status, or the reason why there is none. */
  notified: readonly { url: string; status: number | null; error: string | null }[]
  /** The calls of services that the gateway made about this request before. */
  services: { name: string; policy: string | null; decision: string; ms: number; id: string }[]
  /** Template of the route that handled the request; null if none did, for example after a fault or for a 404. */
  route: string | null
  /** Name of the plugin that handled the request; null if the core did, or if no route handled it. */
  plugin: string | null
  /** Bytes of the response body sent so far, after `Content-Encoding` and without chunk framing. */
  bytes_sent: number
  ended: ResponseEnd
  /** Headers of the response as sent; null if none were, and for gRPC calls and WebSockets. */
  response_headers: { name: string; value: string }[] | null
  /**
   * The beginning of the response body: 64 KiB of a body sent in one piece, 16 KiB of a stream. One of the two is null; both
   * are for an empty body, gRPC calls and WebSockets.
   */
  response_body: string | null
  response_body_base64: string | null
  /** Whether `bytes_sent` is more than is kept. */
  response_body_truncated: boolean
  /** W3C Trace Context of the request; null if it carried none and no spans are exported. */
  trace: {
    trace_id: string
    span_id: string
    parent_span_id: string | null
    sampled: boolean
    state: string | null
  } | null
  /** Instance id of the replica that received the request; absent if there is only one. */
  replica?: string
}

/** What is known of a captured request (not a call of a service), without its headers and bodies. */
export interface Arrival {
  /** Id of the entry. */
  id: string
  requestId: string
  /** The request had no id, so that this instance has generated it. */
  isRequestIdGenerated: boolean
  /** Its W3C Trace Context: the span of this instance, and that of the client; null without one. */
  trace: { traceId: string; spanId: string; parentSpanId: string | null } | null
  /** Milliseconds since 1970. */
  arrivedAt: number
  method: string
  /** Path and query as received. */
  url: string
  session: string | null
  status: number
  /** Until the head of the response was sent. */
  latencyMs: number
  /** Bytes of the response body sent so far. */
  bytesSent: number
  ended: ResponseEnd
  /** Template of the route that handled the request; null if none did. */
  route: string | null
  plugin: string | null
  /** The calls of services that the gateway made about it before. */
  services: InspectorEntry['services']
}

/** Selects arrivals; absent members match everything. With both kinds of ids, one of them must match. */
export interface ArrivalQuery {
  session?: string | undefined
  /** Milliseconds since 1970. */
  since?: number | undefined
  requestIds?: ReadonlySet<string>
  traceIds?: ReadonlySet<string>
  limit: number
}

/** What a plugin adds to the entry of a request. */
export interface InspectorAnnotation {
  /**
   * What the request asked as a call of a service. The entry then has the session of the request that the call is about, if that
   * names one.
   */
  service?: ServiceDecision
  /** Are added to those of earlier calls. An entry has at most 10, each once, with at most 80 characters. */
  tags?: readonly string[]
}

/** Access to captured requests, and redaction of credentials. */
export interface SvcInspector {
  /**
   * Returns the newest entry with this request id. Clients choose request ids, so two sessions may use the same one: with
   * `session`, only entries with this value of `X-Svc-Session` are found (null: without a session).
   */
  entry(requestId: string, session?: string | null): Promise<InspectorEntry | undefined>
  /** Captured requests without the calls of services, newest first. */
  arrivals(query: ArrivalQuery): Promise<Arrival[]>
  /** Adds to the entry of a request; call it before the head of the response is sent. */
  annotate(request: AnyRequest, annotation: InspectorAnnotation): void
  /** Returns the headers with control plane credentials and API keys replaced. */
  redactHeaders(headers: { name: string; value: string }[]): { name: string; value: string }[]
  /** Like `redactHeaders`, for one value. `name` can be in any case. */
  redactHeader(name: string, value: string): string
  /** Like `redactHeaders`, for a path with a query, or only a query. */
  redactUrl(url: string): string
  /** Like `redactHeaders`, for any other text, such as a body. Credentials are found by their value. */
  redactText(text: string): string
}

/** The demo certificates and client certificates (mTLS). */
export interface SvcPki {
  /** Certificate of the demo CA as PEM. */
  readonly caCertificate: string
  /** Certificate and key of the demo client as PEM. They stay the same until the process ends. */
  client(): Promise<{ certificate: string; key: string }>
  /**
   * Issues a certificate with a new key, by default by the demo CA, valid from a day ago for 30 days. Nothing is written
   * to disk. It may be wrong on purpose: expired, for another name, or signed with SHA-1.
   */
  issue(profile: CertificateProfile): Promise<{ certificate: string; key: string }>
  /**
   * The key of the demo CA, to sign what a CA says about its certificates, such as a CRL or an OCSP response: RSA
   * (RSASSA-PKCS1-v1_5 with SHA-256) or EC. It is not extractable.
   */
  signingKey(): Promise<webcrypto.CryptoKey>
  /** The client certificate of a request, verified against the CA: from TLS, or from the header named by SVC_MTLS_IN_HEADER. */
  clientCertificate(request: FastifyRequest): ClientCertificate
}
/** What `issue` puts in a certificate. */
export interface CertificateProfile {
  /** Distinguished name (RFC 4514), such as `CN=shop, O=svc Demo`. */
  subject: string
  /** DNS names and IP addresses in subjectAltName. */
  names?: readonly string[]
  ips?: readonly string[]
  notBefore?: Date
  notAfter?: Date
  /** Type of the key: P-256, P-384, RSA with 2048 or 1024 bits, Ed25519. Default: `ec`. */
  key?: 'ec' | 'p384' | 'rsa' | 'rsa1024' | 'ed25519'
  /** The demo CA (default), the certificate itself, or another CA with an RSA or EC key, as PEM. */
  issuer?: 'demo' | 'self' | { certificate: string; key: string }
  /** Hash of the signature. Default: `sha256`. */
  hash?: 'sha256' | 'sha1'
  /** Extended key usages. Default: none, which allows all. */
  usages?: readonly ('server' | 'client')[]
  /** Makes it a CA. `permitted` are the DNS names that it may issue for. */
  ca?: { pathLength?: number; permitted?: readonly string[] }
  /** Where clients find the CRL and the OCSP responder of the issuer, and its certificate in DER (RFC 5280, 4.2.2.1). */
  urls?: { crl?: string; ocsp?: string; issuer?: string }
  /** More extensions; `value` is DER. */
  extensions?: readonly { oid: string; isCritical?: boolean; value: Uint8Array }[]
}

/** Result of checking a client certificate. */
export type ClientCertificate =
  | { state: 'none' }
  | { state: 'valid'; source: 'tls' | 'header'; certificate: X509Certificate }
  | { state: 'refused'; source: 'tls' | 'header'; reason: string }

/** Prometheus metrics in `GET /_svc/metrics`. */
export interface SvcMetrics {
  /** Creates a counter, or returns the existing one with this name, so that counts continue across reloads. */
  counter(name: string, help: string, labels?: string[]): { inc(labels?: Record<string, string>, value?: number): void }
  gauge(
    name: string,
    help: string,
    labels?: string[],
  ): {
    set(labels: Record<string, string>, value: number): void
    inc(labels?: Record<string, string>, value?: number): void
    dec(labels?: Record<string, string>, value?: number): void
  }
  histogram(
    name: string,
    help: string,
    buckets: number[],
    labels?: string[],
  ): {
    observe(labels: Record<string, string>, value: number): void
    /** The series of these labels, for values that come often. It is listed from its first value on. */
    labels(labels: Record<string, string>): { observe(value: number): void }
  }
}
