/** Requests of OTLP for tests, in both encodings. */
import { readFileSync } from 'node:fs'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { OTLP_DESCRIPTOR_SET } from '../../proto/compile.ts'
import type { TestServer } from './server.ts'

export type Json = Record<string, any>
export type SignalPath = 'traces' | 'metrics' | 'logs'

export const TRACE = '0af7651916cd43dd8448eb211c80319c'
export const SPAN = 'b7ad6b7169203331'

const SERVICES: Readonly<Record<SignalPath, string>> = {
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
}

const definitions = loadFileDescriptorSetFromBuffer(readFileSync(OTLP_DESCRIPTOR_SET), { longs: Number })

/** The method `Export`. */
export function exportMethod(path: SignalPath): ServiceDefinition[string] {
  return (definitions[SERVICES[path]] as ServiceDefinition).Export!
}

/** Attributes as OTLP has them. */
export function attributes(values: Record<string, unknown>): Json[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: unknown): Json {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  if (Buffer.isBuffer(value)) return { bytesValue: value.toString('base64') }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return value === null ? {} : { kvlistValue: { values: attributes(value as Record<string, unknown>) } }
}

/** A span as JSON has it; `over` replaces members. */
export function span(over: Json = {}): Json {
  return {
    traceId: TRACE,
    spanId: SPAN,
    name: 'GET /orders',
    kind: 2,
    startTimeUnixNano: '1767225600000000000',
    endTimeUnixNano: '1767225600012500000',
    ...over,
  }
}

const RECORDS = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
} as const

/** A request with these records of one resource. */
export function requestOf(path: SignalPath, records: Json[], resource: Record<string, unknown> = {}): Json {
  const [resources, scopes, list] = RECORDS[path]
  return {
    [resources]: [
      { resource: { attributes: attributes(resource) }, [scopes]: [{ scope: { name: 'test' }, [list]: records }] },
    ],
  }
}

/** A message of the definitions: the names and types of protobuf. */
export function messageOf(request: Json): object {
  return withBytes(request) as object
}

/** The same as protobuf: ids are bytes, as are values of bytes. */
export function encode(path: SignalPath, request: Json): Buffer {
  return exportMethod(path).requestSerialize(messageOf(request))
}

function withBytes(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (['traceId', 'spanId', 'parentSpanId'].includes(key)) return Buffer.from(value, 'hex')
    return key === 'bytesValue' ? Buffer.from(value, 'base64') : value
  }
  if (Array.isArray(value)) return value.map(item => withBytes(item))
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), withBytes(member, name)]))
}

/** The loader has the names of the definitions. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

export interface Answer {
  status: number
  headers: Headers
  body: Buffer
  json: Json | undefined
}

/** Sends a body to a path of the server. */
export async function post(
  server: Pick<TestServer, 'url'>,
  path: string,
  type: string,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const received = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, body: received, json: parse(received) }
}

/** Exports as JSON. */
export function exportJson(
  server: Pick<TestServer, 'url'>,
  path: SignalPath,
  request: Json,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return post(server, `/otlp/v1/${path}`, 'application/json', JSON.stringify(request), headers)
}

/** What the server shows. */
export async function shown(
  server: Pick<TestServer, 'url'>,
  kind: 'spans' | 'logs' | 'metrics',
  query = '',
): Promise<Json[]> {
  const response = await fetch(`${server.url}/_svc/telemetry/${kind}?${query}`)
  const answer = (await response.json()) as Json
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer[kind]
}

function parse(body: Buffer): Json | undefined {
  try {
    return JSON.parse(body.toString()) as Json
  } catch {
    return undefined
  }
}
