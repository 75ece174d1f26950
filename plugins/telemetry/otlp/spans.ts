/** Spans of `ExportTraceServiceRequest`. */
import { randomUUID } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import type { JsonObject } from 'svc/plugin'
import { isoTime, type Report, type SpanKind, type SpanStatus } from '../records/record.ts'
import { namedSession, optionalIdOf, OTLP, spanIdOf, traceIdOf, type RecordContext } from './convert.ts'
import { attributesOf, enumOf, millisecondsOf, textOf, type OtlpNode } from './node.ts'

const KINDS: readonly (SpanKind | null)[] = [null, 'internal', 'server', 'client', 'producer', 'consumer']
const STATUSES: readonly SpanStatus[] = ['unset', 'ok', 'error']

export function spanOf(node: OtlpNode, { resource, service, receivedAt }: RecordContext): Report<'spans'> {
  const message = node.all()
  const attributes = attributesOf(message.attributes)
  const startMs = millisecondsOf(message, 'startTimeUnixNano')
  const durationMs = Math.max(0, millisecondsOf(message, 'endTimeUnixNano') - startMs)
  const status = isRecord(message.status) ? (message.status as JsonObject) : {}
  return {
    record: {
      id: randomUUID(),
      trace_id: traceIdOf(message),
      span_id: spanIdOf(message),
      parent_span_id: optionalIdOf(message, 'parentSpanId'),
      name: textOf(message, 'name'),
      kind: KINDS[enumOf(message, 'kind')] ?? null,
      service,
      start: isoTime(startMs),
      duration_ms: Math.round(durationMs * 1000) / 1000,
      status: STATUSES[enumOf(status, 'code')] ?? 'unset',
      attributes,
      resource,
      source: OTLP,
      received_at: receivedAt,
      session: null,
    },
    named: namedSession(attributes, resource),
  }
}
