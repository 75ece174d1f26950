/** What was seen and proved of requests: `svc.inspector`, `svc.pki`, `svc.metrics`. */
import type { FastifyRequest } from 'fastify'
import type { X509Certificate } from 'node:crypto'

/**
 * How an answer ended: sent to its end, broken off by the service (a fault, a limit), left by its client; `open` while it is
 * being sent.
 */
export type AnswerEnd = 'open' | 'complete' | 'aborted' | 'client_left'

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
  /** Status of a gRPC call; null for other requests, and as long as none was sent. */
  grpc_status: number | null
  /** The fault that the service injected. */
  fault: string | null
  /** What asked for it: `X-Svc-Abort: truncate`, `?fail=overloaded`, a rule, or the provider that is configured to fail. */
  fault_source: string | null
  /** Template of the route that was called; null: none was, as after a fault or with a 404. */
  route: string | null
  /** Name of the plugin whose route was called; null: the core answered, or no route was called. */
  plugin: string | null
  /** Bytes of the response body, after `Content-Encoding`, without chunk framing; of an open answer those written so far. */
  bytes_sent: number
  ended: AnswerEnd
  /** W3C Trace Context: where the request stands; null when it carried none and no spans are exported. */
  trace: {
    trace_id: string
    span_id: string
    parent_span_id: string | null
    sampled: boolean
    state: string | null
  } | null
}

export interface SvcInspector {
  /**
   * The newest entry with this request id. Clients choose request ids, so two sessions may use one: with `session` only an
   * entry with this `X-Svc-Session` value is meant (null: without one).
   */
  entry(requestId: string, session?: string | null): InspectorEntry | undefined
  /** Header list with the values of control credentials and shared-mode keys replaced (limits sheet 4). */
  redactHeaders(headers: { name: string; value: string }[]): { name: string; value: string }[]
  /** The same for one value; the name in any case. */
  redactHeader(name: string, value: string): string
  /** The same for a path and query, or a query alone. */
  redactUrl(url: string): string
  /** The same for any other text, such as a body: credentials are found by their value. */
  redactText(text: string): string
}

export interface SvcPki {
  /** PEM of the demo CA. */
  readonly caCertificate: string
  /** PEM certificate and key of the demo client, the same as long as the process runs. */
  client(): Promise<{ certificate: string; key: string }>
  /** The client certificate of a request: from TLS, or from the SVC_MTLS_IN_HEADER header, checked against the CA. */
  clientCertificate(request: FastifyRequest): ClientCertificate
}
export type ClientCertificate =
  | { state: 'none' }
  | { state: 'valid'; source: 'tls' | 'header'; certificate: X509Certificate }
  | { state: 'refused'; source: 'tls' | 'header'; reason: string }

export interface SvcMetrics {
  /** One series by name: one that exists is shared, so counters go on across generations. */
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
