/** Schemas of what the routes answer, for generated clients. */
import type { ReplyContent } from 'svc/plugin'
import { BOOLEAN, INTEGER, jsonReply, list, NUMBER, nullable, object, RECORD, TEXT, ANY } from 'svc/toolkit'
import type { Kind } from '../records/record.ts'

const COMMON = {
  id: TEXT,
  service: nullable(TEXT),
  attributes: RECORD,
  source: TEXT,
  session: nullable(TEXT),
}
const RECORDS = {
  spans: object({
    ...COMMON,
    trace_id: TEXT,
    span_id: TEXT,
    parent_span_id: nullable(TEXT),
    name: TEXT,
    kind: nullable(TEXT),
    start: TEXT,
    duration_ms: NUMBER,
    status: TEXT,
    resource: RECORD,
    received_at: TEXT,
  }),
  logs: object({
    ...COMMON,
    time: TEXT,
    severity: nullable(TEXT),
    body: ANY,
    trace_id: nullable(TEXT),
    request_id: nullable(TEXT),
    method: nullable(TEXT),
    path: nullable(TEXT),
    status: nullable(INTEGER),
    upstream_status: nullable(INTEGER),
    attempts: nullable(INTEGER),
    duration_ms: nullable(NUMBER),
    bytes_sent: nullable(INTEGER),
    bytes_received: nullable(INTEGER),
    response_flags: nullable(TEXT),
    upstream: nullable(TEXT),
  }),
  metrics: object({
    ...COMMON,
    name: TEXT,
    kind: TEXT,
    unit: nullable(TEXT),
    value: nullable(NUMBER),
    count: nullable(INTEGER),
    sum: nullable(NUMBER),
    time: TEXT,
  }),
}
const NAMES: Readonly<Record<Kind, string>> = {
  spans: 'ReportedSpans',
  logs: 'ReportedLogs',
  metrics: 'ReportedMetrics',
}

export function listReply(kind: Kind): ReplyContent {
  const optional = { satisfied: BOOLEAN, waited_ms: INTEGER }
  return jsonReply(object({ count: INTEGER, [kind]: list(RECORDS[kind]) }, optional), NAMES[kind])
}

export const CLEAR_REPLY = jsonReply(object({ cleared: INTEGER }, { session: TEXT }), 'ClearedReports')

const REQUEST = object({
  trace_id: nullable(TEXT),
  request_id: nullable(TEXT),
  method: nullable(TEXT),
  path: nullable(TEXT),
  arrivals: list(TEXT),
  reports: list(TEXT),
  tokens: nullable(object({ reported: nullable(INTEGER), counted: INTEGER })),
  routes: object({ reported: nullable(TEXT), arrived: nullable(TEXT) }),
  differ: list(object({ field: TEXT, reported: ANY, arrived: ANY })),
})

export const RECONCILE_REPLY = jsonReply(
  object({
    requests: list(REQUEST),
    only_reported: list(REQUEST),
    only_arrived: list(REQUEST),
    summary: object({ matched: INTEGER, differ: INTEGER, only_reported: INTEGER, only_arrived: INTEGER }),
  }),
  'Reconciliation',
)
