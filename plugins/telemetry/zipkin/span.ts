/** A span of Zipkin v2, in JSON and in `zipkin.proto3`. */
import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own, setOwn } from 'svc/toolkit'
import { isoTime, namedSession, type Report, type SpanKind } from '../records/record.ts'
import { layout } from '../wire/layout.ts'
import { MessageProblem, type MessageNode } from '../wire/node.ts'
import type { Layout } from '../wire/wire.ts'

export const ZIPKIN = 'zipkin'

const endpoint: Layout = layout(() => [[1, 'serviceName', 'text']])
const tag: Layout = layout(() => [
  [1, 'key', 'text'],
  [2, 'value', 'text'],
])
const span: Layout = layout(() => [
  [1, 'traceId', 'hex'],
  [2, 'parentId', 'hex'],
  [3, 'id', 'hex'],
  [4, 'kind', 'int'],
  [5, 'name', 'text'],
  [6, 'timestamp', 'fixed64'],
  [7, 'duration', 'uint'],
  [8, 'localEndpoint', endpoint],
  [11, 'tags', tag, '*'],
])
export const LIST_OF_SPANS: Layout = layout(() => [[1, 'spans', span, '*']])

/** By name in JSON, and by the number of the enum. */
const KINDS: Readonly<Record<string, SpanKind>> = {
  CLIENT: 'client',
  SERVER: 'server',
  PRODUCER: 'producer',
  CONSUMER: 'consumer',
}
const KIND_NAMES = ['', 'CLIENT', 'SERVER', 'PRODUCER', 'CONSUMER']

/** Throws a `MessageProblem`. */
export function spanOf(node: MessageNode, receivedAt: string): Report<'spans'> {
  const message = node.all()
  const attributes = tagsOf(own(message, 'tags'))
  const startMs = figureOf(message, 'timestamp') / 1000
  const local = own(message, 'localEndpoint')
  const service = isRecord(local) ? own(local as JsonObject, 'serviceName') : undefined
  const error = own(attributes, 'error')
  return {
    record: {
      id: randomUUID(),
      trace_id: idOf(message, 'traceId', 32).padStart(32, '0'),
      span_id: idOf(message, 'id', 16),
      parent_span_id:
        own(message, 'parentId') == null || message.parentId === '' ? null : idOf(message, 'parentId', 16),
      name: textOf(message, 'name'),
      kind: kindOf(own(message, 'kind')),
      service: typeof service === 'string' && service !== '' ? service : null,
      start: isoTime(startMs),
      duration_ms: figureOf(message, 'duration') / 1000,
      status: error !== undefined && error !== 'false' ? 'error' : 'unset',
      attributes,
      resource: {},
      source: ZIPKIN,
      received_at: receivedAt,
      session: null,
    },
    named: namedSession(attributes),
  }
}

/** An object in JSON, a list of entries in protobuf. */
function tagsOf(tags: Json | undefined): JsonObject {
  const attributes: JsonObject = {}
  if (tags == null) return attributes
  if (!isRecord(tags) && !Array.isArray(tags)) throw new MessageProblem('tags: expected an object')
  const entries = Array.isArray(tags)
    ? tags.map((entry): [string, Json] => {
        if (!isRecord(entry)) throw new MessageProblem('tags: expected an object')
        const { key, value } = entry as JsonObject
        return [typeof key === 'string' ? key : '', value ?? '']
      })
    : Object.entries(tags as JsonObject)
  for (const [key, value] of entries) {
    if (typeof value !== 'string') throw new MessageProblem(`tags.${key.slice(0, 100)}: expected a string`)
    setOwn(attributes, key, value)
  }
  return attributes
}

function idOf(message: JsonObject, name: string, digits: number): string {
  const id = textOf(message, name).toLowerCase()
  const isLong = id.length === 32 && digits === 32
  if ((!isLong && id.length !== 16) || !/^[\da-f]+$/.test(id) || /^0+$/.test(id))
    throw new MessageProblem(
      `${name}: expected ${digits === 32 ? '16 or 32' : digits} hexadecimal digits, not all zero`,
    )
  return id
}

function kindOf(kind: Json | undefined): SpanKind | null {
  const name = typeof kind === 'number' ? KIND_NAMES[kind] : kind
  if (name == null || name === '') return null
  const known = typeof name === 'string' ? KINDS[name] : undefined
  if (known === undefined) throw new MessageProblem('kind: expected CLIENT, SERVER, PRODUCER or CONSUMER')
  return known
}

function textOf(message: JsonObject, name: string): string {
  const value = own(message, name) ?? ''
  if (typeof value !== 'string') throw new MessageProblem(`${name}: expected a string`)
  return value
}

/** Microseconds; 0 if it is absent. */
function figureOf(message: JsonObject, name: string): number {
  const value = own(message, name) ?? 0
  if (typeof value !== 'number' || !(value >= 0)) throw new MessageProblem(`${name}: expected a number of microseconds`)
  return value
}
