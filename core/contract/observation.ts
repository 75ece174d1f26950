/** `svc.inspector`, `svc.pki` and `svc.metrics`: captured requests, client certificates and metrics. */
import type { FastifyRequest } from 'fastify'
import type { X509Certificate } from 'node:crypto'

/**
 * How a response ended: `complete`, `aborted` by the service (because of a fault or a limit), or `client_left` if the client
 * disconnected. `open` while it is being sent.
 */
export type ResponseEnd = 'open' | 'complete' | 'aborted' | 'client_left'

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
  session: string | null
  body: string | null
  body_base64: string | null
  body_size: number
  body_truncated: boolean
  status: number
  latency_ms: number
  /** Status of a gRPC call; null for other requests and before the status is sent. */
  grpc_status: number | null
  /** The injected fault, if any. */
  fault: string | null
  /** What requested the fault, such as `X-Svc-Abort: truncate`, `?fail=overloaded`, a rule or a provider's configuration. */
  fault_source: string | null
  /** Name of the rule that acted on the request; null if none did. */
  rule: string | null
  /** Template of the route that handled the request; null if none did, for example after a fault or for a 404. */
  route: string | null
  /** Name of the plugin that handled the request; null if the core did, or if no route handled it. */
  plugin: string | null
  /** Bytes of the response body sent so far, after `Content-Encoding` and without chunk framing. */
  bytes_sent: number
  ended: ResponseEnd
  /** W3C Trace Context of the request; null if it carried none and no spans are exported. */
  trace: {
    trace_id: string
    span_id: string
    parent_span_id: string | null
    sampled: boolean
    state: string | null
  } | null
}

/** Access to captured requests, and redaction of credentials. */
export interface SvcInspector {
  /**
   * Returns the newest entry with this request id. Clients choose request ids, so two sessions may use the same one: with
   * `session`, only entries with this value of `X-Svc-Session` are found (null: without a session).
   */
  entry(requestId: string, session?: string | null): InspectorEntry | undefined
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
  /** The client certificate of a request, verified against the CA: from TLS, or from the header named by SVC_MTLS_IN_HEADER. */
  clientCertificate(request: FastifyRequest): ClientCertificate
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
  ): { observe(labels: Record<string, string>, value: number): void }
}
