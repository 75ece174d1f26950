/** Spans of Datadog's trace API. */
import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own, setOwn } from 'svc/toolkit'
import { isoTime, namedSession, type Report, type SpanKind } from '../records/record.ts'

export const DATADOG = 'datadog'

/** A part of the message is not what it should be. */
export class DatadogProblem extends Error {}

/** Upper half of the ids of a trace, in hexadecimal. */
const UPPER_HALF = '_dd.p.tid'
const KINDS: readonly string[] = ['internal', 'server', 'client', 'producer', 'consumer'] satisfies SpanKind[]

/** The upper half of the id of a trace: on one of its spans; zeros without it. */
export function upperHalfOf(trace: readonly Json[]): string {
  for (const span of trace) {
    const meta = isRecord(span) ? own(span as JsonObject, 'meta') : undefined
    const half = isRecord(meta) ? own(meta as JsonObject, UPPER_HALF) : undefined
    if (typeof half === 'string' && /^[\da-f]{16}$/i.test(half)) return half.toLowerCase()
  }
  return '0'.repeat(16)
}

/** Throws a `DatadogProblem`. */
export function spanOf(given: Json, upperHalf: string, receivedAt: string): Report<'spans'> {
  if (!isRecord(given) || Array.isArray(given)) throw new DatadogProblem('expected a span as a map')
  const span = given as JsonObject
  const attributes = attributesOf(span)
  const kind = own(attributes, 'span.kind')
  const parent = idOf(span, 'parent_id', true)
  return {
    record: {
      id: randomUUID(),
      trace_id: upperHalf + idOf(span, 'trace_id')!,
      span_id: idOf(span, 'span_id')!,
      parent_span_id: parent,
      name: textOf(span, 'name'),
      kind: typeof kind === 'string' && KINDS.includes(kind) ? (kind as SpanKind) : null,
      service: textOf(span, 'service') || null,
      start: isoTime(nanosecondsOf(span, 'start') / 1e6),
      duration_ms: Math.round(nanosecondsOf(span, 'duration') / 1000) / 1000,
      status: own(span, 'error') === 1 ? 'error' : 'unset',
      attributes,
      resource: {},
      source: DATADOG,
      received_at: receivedAt,
      session: null,
    },
    named: namedSession(attributes),
  }
}

/** `meta` has texts, `metrics` numbers; the resource and the type get names of their own. */
function attributesOf(span: JsonObject): JsonObject {
  const attributes: JsonObject = {}
  for (const [member, type] of [
    ['meta', 'string'],
    ['metrics', 'number'],
  ] as const) {
    const values = own(span, member)
    if (values == null) continue
    if (!isRecord(values) || Array.isArray(values)) throw new DatadogProblem(`${member}: expected a map`)
    for (const [key, value] of Object.entries(values as JsonObject)) {
      if (typeof value !== type) throw new DatadogProblem(`${member}.${key.slice(0, 100)}: expected a ${type}`)
      setOwn(attributes, key, value)
    }
  }
  for (const [name, member] of [
    ['resource.name', 'resource'],
    ['span.type', 'type'],
  ] as const) {
    const text = textOf(span, member)
    if (text !== '') attributes[name] = text
  }
  return attributes
}

/** An unsigned number of 64 bits as 16 digits. */
function idOf(span: JsonObject, name: string, isOptional = false): string | null {
  const value = own(span, name) ?? 0
  if (
    (typeof value !== 'number' || !Number.isSafeInteger(value)) &&
    !(typeof value === 'string' && /^\d{1,20}$/.test(value))
  )
    throw new DatadogProblem(`${name}: expected an unsigned number of 64 bits`)
  const id = BigInt(value)
  if (id === 0n && isOptional) return null
  if (id <= 0n || id >= 2n ** 64n) throw new DatadogProblem(`${name}: expected an unsigned number of 64 bits, not 0`)
  return id.toString(16).padStart(16, '0')
}

function textOf(span: JsonObject, name: string): string {
  const value = own(span, name) ?? ''
  if (typeof value !== 'string') throw new DatadogProblem(`${name}: expected a text`)
  return value
}

/** Numbers above 2^53 come as their digits. */
function nanosecondsOf(span: JsonObject, name: string): number {
  const value = Number(own(span, name) ?? 0)
  if (!(value >= 0)) throw new DatadogProblem(`${name}: expected a number of nanoseconds`)
  return value
}
