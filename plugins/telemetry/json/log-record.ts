/** A log record of a JSON object, as gateways write access logs. */
import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from 'svc/plugin'
import { httpFactsOf, memberOf, type FactName } from '../records/http-facts.ts'
import { isoTime, type Report } from '../records/record.ts'

const TIMES = ['time', 'timestamp', '@timestamp', 'ts', 'StartUTC', 'start_time', 'startTime', 'started_at', 'date']
const SEVERITIES = ['level', 'severity', 'severity_text', 'log.level']
const SERVICES = ['service.name', 'service', 'app', 'gateway', 'host.name']
const BODIES = ['message', 'msg', 'body', 'log']
const TRACES = ['trace_id', 'traceId', 'TraceId', 'trace.id', 'traceparent', 'request.headers.traceparent']

export interface LogOptions {
  source: string
  renamed: ReadonlyMap<FactName, readonly string[]>
}

export function logOf(attributes: JsonObject, { source, renamed }: LogOptions): Report<'logs'> {
  const text = (names: readonly string[]): string | null =>
    first(attributes, names, value => (typeof value === 'string' && value !== '' ? value : null))
  const session = memberOf(attributes, 'svc.session')
  return {
    record: {
      id: randomUUID(),
      time: isoTime(first(attributes, TIMES, millisecondsOf) ?? Date.now()),
      source,
      service: text(SERVICES),
      severity: text(SEVERITIES),
      body: text(BODIES),
      attributes,
      trace_id: first(attributes, TRACES, traceOf),
      ...httpFactsOf(attributes, renamed),
      session: null,
    },
    named: typeof session === 'string' ? session : null,
  }
}

function first<T>(attributes: JsonObject, names: readonly string[], use: (value: Json) => T | null): T | null {
  for (const name of names) {
    const value = memberOf(attributes, name)
    const used = value == null ? null : use(value)
    if (used !== null) return used
  }
  return null
}

/** RFC 3339, or seconds, milliseconds, microseconds or nanoseconds since 1970, by their size. */
function millisecondsOf(value: Json): number | null {
  if (typeof value === 'string') {
    if (/^\d{4}-\d{2}-\d{2}[T ]/.test(value)) {
      const time = Date.parse(value.slice(0, 40))
      return Number.isNaN(time) ? null : time
    }
    return /^\d{9,19}(?:\.\d{1,9})?$/.test(value) ? millisecondsOf(Number(value)) : null
  }
  if (typeof value !== 'number' || !(value > 0)) return null
  if (value < 1e11) return value * 1000
  if (value < 1e14) return value
  return value < 1e17 ? value / 1e3 : value / 1e6
}

/** An id of 16 or 8 bytes in hexadecimal, or a `traceparent`. */
function traceOf(value: Json): string | null {
  if (typeof value !== 'string') return null
  const [, id] = /^(?:00-)?([\da-f]{32}|[\da-f]{16}$)(?:-[\da-f]{16}-[\da-f]{2})?$/i.exec(value) ?? []
  return id === undefined || /^0+$/.test(id) ? null : id.toLowerCase().padStart(32, '0')
}
