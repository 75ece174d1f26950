/** What is kept of reports: spans, log records, and values of metrics. */
import type { JsonObject } from 'svc/plugin'

export const KINDS = ['spans', 'logs', 'metrics'] as const
export type Kind = (typeof KINDS)[number]

interface Common {
  id: string
  /** Name of the service that reports; null if it names none. */
  service: string | null
  attributes: JsonObject
  /** The format in which it came. */
  source: string
  session: string | null
}

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'
export type SpanStatus = 'unset' | 'ok' | 'error'

export interface SpanRecord extends Common {
  /** Hexadecimal, as `span_id`. */
  trace_id: string
  span_id: string
  parent_span_id: string | null
  name: string
  /** Null: unspecified. */
  kind: SpanKind | null
  /** RFC 3339. */
  start: string
  duration_ms: number
  status: SpanStatus
  resource: JsonObject
  received_at: string
}

/** What a report says of one HTTP request; null where it says nothing. */
export interface HttpFacts {
  request_id: string | null
  method: string | null
  /** Without the query. */
  path: string | null
  /** Sent to the client. */
  status: number | null
  upstream_status: number | null
  /** Requests to upstreams. */
  attempts: number | null
  duration_ms: number | null
  /** Bytes of the body sent to the client. */
  bytes_sent: number | null
  bytes_received: number | null
  /** Short names of Envoy's response flags, separated by commas. */
  response_flags: string | null
  upstream: string | null
}

export interface LogRecord extends Common, HttpFacts {
  time: string
  severity: string | null
  /** A text, or an object. */
  body: JsonObject[string]
  trace_id: string | null
}

export interface MetricRecord extends Common {
  name: string
  kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary' | 'counter' | 'timer' | 'set'
  unit: string | null
  /** Null for histograms and summaries. */
  value: number | null
  /** Observations of histograms and summaries, and their sum. */
  count: number | null
  sum: number | null
  time: string
}

export interface RecordOf {
  spans: SpanRecord
  logs: LogRecord
  metrics: MetricRecord
}

export type TelemetryRecord = RecordOf[Kind]

/** A record before its session is known: `named` is the session that the report itself names. */
export interface Report<K extends Kind> {
  record: RecordOf[K]
  named: string | null
}

/** RFC 3339 in milliseconds; the time now for what is no time of this calendar. */
export function isoTime(ms: number): string {
  return new Date(Number.isFinite(ms) && ms > 0 && ms < 8.64e15 ? ms : Date.now()).toISOString()
}
