/** Entries of `envoy.data.accesslog.v3`, as log records. */
import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own, setOwn } from 'svc/toolkit'
import { isoTime, namedSession, type HttpFacts, type Report } from '../records/record.ts'
import { layout } from '../wire/layout.ts'
import type { MessageNode } from '../wire/node.ts'
import type { Layout } from '../wire/wire.ts'

/** Full name of the service. */
export const ACCESS_LOGS = 'envoy.service.accesslog.v3.AccessLogService'
export const ALS = 'als'

/** Short names of response flags, by the numbers of their fields. */
const FLAGS = [
  'LH',
  'UH',
  'UT',
  'LR',
  'UR',
  'UF',
  'UC',
  'UO',
  'NR',
  'DI',
  'FI',
  'RL',
  'UAEX',
  'RLSE',
  'DC',
  'URX',
  'SI',
]
const UNAUTHORIZED = 13
const METHODS = ['', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']
const PROTOCOLS = ['', 'HTTP/1.0', 'HTTP/1.1', 'HTTP/2', 'HTTP/3']

const number: Layout = layout(() => [[1, 'value', 'uint']])
const time: Layout = layout(() => [
  [1, 'seconds', 'int'],
  [2, 'nanos', 'int'],
])
const pair: Layout = layout(() => [
  [1, 'key', 'text'],
  [2, 'value', 'text'],
])
const address: Layout = layout(() => [
  [
    1,
    'socket',
    layout(() => [
      [2, 'address', 'text'],
      [3, 'port', 'uint'],
    ]),
  ],
])
const flags: Layout = layout(() =>
  FLAGS.map((name, index) => [index + 1, name, index + 1 === UNAUTHORIZED ? layout(() => []) : 'bool']),
)
const common: Layout = layout(() => [
  [2, 'downstream', address],
  [5, 'startTime', time],
  [12, 'lastByte', time],
  [13, 'upstream', address],
  [15, 'cluster', 'text'],
  [16, 'flags', flags],
  [19, 'route', 'text'],
  [22, 'tags', pair, '*'],
  [23, 'duration', time],
  [24, 'attempts', 'uint'],
  [26, 'streamId', 'text'],
])
const httpEntry: Layout = layout(() => [
  [1, 'common', common],
  [2, 'protocol', 'int'],
  [
    3,
    'request',
    layout(() => [
      [1, 'method', 'int'],
      [2, 'scheme', 'text'],
      [3, 'authority', 'text'],
      [5, 'path', 'text'],
      [6, 'user_agent', 'text'],
      [7, 'referer', 'text'],
      [8, 'forwarded_for', 'text'],
      [9, 'requestId', 'text'],
      [10, 'original_path', 'text'],
      [12, 'bodyBytes', 'uint'],
      [13, 'headers', pair, '*'],
    ]),
  ],
  [
    4,
    'response',
    layout(() => [
      [1, 'code', number],
      [3, 'bodyBytes', 'uint'],
      [4, 'headers', pair, '*'],
      [5, 'trailers', pair, '*'],
      [6, 'response_code_details', 'text'],
    ]),
  ],
])
const tcpEntry: Layout = layout(() => [
  [1, 'common', common],
  [
    2,
    'connection',
    layout(() => [
      [1, 'received', 'uint'],
      [2, 'sent', 'uint'],
    ]),
  ],
])
const entries = (entry: Layout): Layout => layout(() => [[1, 'entry', entry, '*']])
export const MESSAGE: Layout = layout(() => [
  [
    1,
    'identifier',
    layout(() => [
      [
        1,
        'node',
        layout(() => [
          [1, 'id', 'text'],
          [2, 'cluster', 'text'],
        ]),
      ],
      [2, 'logName', 'text'],
    ]),
  ],
  [2, 'http', entries(httpEntry)],
  [3, 'tcp', entries(tcpEntry)],
])

/** What the first message of a stream says of all its entries. */
export interface Identifier {
  service: string | null
  logName: string | null
}

export function identifierOf(message: MessageNode): Identifier | null {
  const identifier = message.child('identifier')?.all()
  if (identifier === undefined) return null
  const node = objectIn(identifier, 'node')
  return { service: textIn(node, 'cluster') ?? textIn(node, 'id'), logName: textIn(identifier, 'logName') }
}

/** An entry of HTTP or TCP. */
export function logOf(node: MessageNode, { service, logName }: Identifier): Report<'logs'> {
  const entry = node.all()
  const shared = objectIn(entry, 'common')
  const request = objectIn(entry, 'request')
  const response = objectIn(entry, 'response')
  const attributes = attributesOf(entry, logName)
  return {
    record: {
      id: randomUUID(),
      time: isoTime(millisecondsIn(shared, 'startTime') ?? Number.NaN),
      source: ALS,
      service,
      severity: null,
      body: null,
      attributes,
      trace_id: traceIn(attributes),
      ...httpFacts(entry, shared, request, response),
      session: null,
    },
    named: namedSession(attributes),
  }
}

function httpFacts(entry: JsonObject, shared: JsonObject, request: JsonObject, response: JsonObject): HttpFacts {
  const connection = objectIn(entry, 'connection')
  const path = textIn(request, 'path')
  const attempts = numberIn(shared, 'attempts')
  return {
    request_id: textIn(request, 'requestId'),
    method: METHODS[numberIn(request, 'method') ?? 0] || null,
    path: path === null ? null : path.split('?', 1)[0]!,
    // 0: the client left before there was one.
    status: numberIn(objectIn(response, 'code'), 'value') || null,
    upstream_status: null,
    attempts: attempts === 0 ? null : attempts,
    duration_ms: millisecondsIn(shared, 'duration') ?? millisecondsIn(shared, 'lastByte'),
    bytes_sent: numberIn(response, 'bodyBytes') ?? numberIn(connection, 'sent') ?? 0,
    bytes_received: numberIn(request, 'bodyBytes') ?? numberIn(connection, 'received') ?? 0,
    response_flags: flagsOf(objectIn(shared, 'flags')),
    upstream: textIn(shared, 'cluster'),
  }
}

/** All that is not in a member of its own, by the names of the entry. */
function attributesOf(entry: JsonObject, logName: string | null): JsonObject {
  const attributes: JsonObject = {}
  const add = (name: string, value: Json | undefined): void => {
    if (value != null && value !== '') setOwn(attributes, name, value)
  }
  const shared = objectIn(entry, 'common')
  const request = objectIn(entry, 'request')
  const response = objectIn(entry, 'response')
  add('log_name', logName ?? undefined)
  add('protocol', PROTOCOLS[numberIn(entry, 'protocol') ?? 0])
  for (const name of ['scheme', 'authority', 'user_agent', 'referer', 'forwarded_for', 'original_path'])
    add(name, own(request, name))
  add('route_name', own(shared, 'route'))
  add('stream_id', own(shared, 'streamId'))
  add('response_code_details', own(response, 'response_code_details'))
  add('upstream_address', addressIn(shared, 'upstream'))
  add('downstream_address', addressIn(shared, 'downstream'))
  for (const [key, value] of pairsIn(shared, 'tags')) add(key, value)
  for (const [key, value] of pairsIn(request, 'headers')) add(`http.request.header.${key}`, value)
  for (const [key, value] of pairsIn(response, 'headers')) add(`http.response.header.${key}`, value)
  for (const [key, value] of pairsIn(response, 'trailers')) add(`http.response.trailer.${key}`, value)
  return attributes
}

function flagsOf(given: JsonObject): string | null {
  const set = FLAGS.filter(name => {
    const value = own(given, name)
    return value !== undefined && value !== false
  })
  return set.length === 0 ? null : set.join(',')
}

function traceIn(attributes: JsonObject): string | null {
  const parent = own(attributes, 'http.request.header.traceparent')
  const [, id] = typeof parent === 'string' ? (/^[\da-f]{2}-([\da-f]{32})-/.exec(parent) ?? []) : []
  return id ?? null
}

function addressIn(object: JsonObject, name: string): string | undefined {
  const socket = objectIn(objectIn(object, name), 'socket')
  const host = textIn(socket, 'address')
  if (host === null) return undefined
  return `${host.includes(':') ? `[${host}]` : host}:${numberIn(socket, 'port') ?? 0}`
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = own(object, name)
  return isRecord(value) && !Array.isArray(value) ? (value as JsonObject) : {}
}

function pairsIn(object: JsonObject, name: string): [key: string, value: string][] {
  const list = own(object, name)
  if (!Array.isArray(list)) return []
  return list.map(item => [textIn(item as JsonObject, 'key') ?? '', textIn(item as JsonObject, 'value') ?? ''])
}

function textIn(object: JsonObject, name: string): string | null {
  const value = own(object, name)
  return typeof value === 'string' && value !== '' ? value : null
}

function numberIn(object: JsonObject, name: string): number | null {
  const value = own(object, name)
  return typeof value === 'number' ? value : null
}

/** A `Timestamp` or `Duration`. */
function millisecondsIn(object: JsonObject, name: string): number | null {
  if (own(object, name) === undefined) return null
  const given = objectIn(object, name)
  return (numberIn(given, 'seconds') ?? 0) * 1000 + Math.round((numberIn(given, 'nanos') ?? 0) / 1000) / 1000
}
