/** Reads what a report says of an HTTP request from its attributes, by the names that gateways use. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own } from 'svc/toolkit'
import type { HttpFacts } from './record.ts'

export type FactName = keyof HttpFacts

/** Where a fact is, the best name first: a member, or members of members separated by dots. */
const NAMES: Readonly<Record<FactName, readonly string[]>> = {
  request_id: [
    'http.request.header.x-request-id',
    'guid:x-request-id',
    'request_id',
    'x-request-id',
    'x_request_id',
    'requestId',
    'request.headers.x-request-id',
    'request.headers.X-Request-Id',
    'request_X-Request-Id',
    'http.request_id',
    'request.id',
    'downstream_request_id',
  ],
  method: ['http.request.method', 'http.method', 'request.method', 'RequestMethod', 'request_method', 'method'],
  path: [
    'url.path',
    'http.path',
    'http.target',
    'url.full',
    'http.url',
    'request.uri',
    'RequestPath',
    'request_uri',
    'request.path',
    'path',
    'uri',
  ],
  status: [
    'http.response.status_code',
    'http.status_code',
    'http.status',
    'response.status',
    'DownstreamStatus',
    'response_code',
    'status_code',
    'status',
  ],
  upstream_status: ['upstream_status', 'upstream.status', 'OriginStatus', 'upstream_response_status'],
  attempts: ['attempts', 'upstream_request_attempt_count', 'tries', 'http.request.resend_count', 'RetryAttempts'],
  duration_ms: ['duration_ms', 'latencies.request', 'latency', 'request_time', 'Duration', 'duration'],
  bytes_sent: [
    'http.response.body.size',
    'http.response_content_length',
    'response_size',
    'bytes_sent',
    'DownstreamContentSize',
    'response.size',
    'body_bytes_sent',
    'size',
  ],
  bytes_received: [
    'http.request.body.size',
    'http.request_content_length',
    'request_size',
    'bytes_received',
    'RequestContentSize',
    'request.size',
    'bytes_read',
  ],
  response_flags: ['response_flags', 'envoy.response_flags', 'flags'],
  upstream: [
    'upstream',
    'upstream_cluster',
    'upstream_cluster.name',
    'upstream_host',
    'upstream_uri',
    'ServiceAddr',
    'endpoint',
    'service.host',
    'peer.address',
  ],
}

/** Names whose number is not that of repeated attempts, but of the attempts after the first. */
const RETRIES = new Set(['http.request.resend_count', 'RetryAttempts'])
const MAX_DURATION_MS = 1e9

/** `renamed` has further names of members, by the name of the fact; they come first. */
export function httpFactsOf(attributes: JsonObject, renamed: ReadonlyMap<FactName, readonly string[]>): HttpFacts {
  const read = <T>(fact: FactName, use: (value: Json, name: string) => T | null): T | null => {
    for (const name of [...(renamed.get(fact) ?? []), ...NAMES[fact]]) {
      const value = memberOf(attributes, name)
      const used = value == null ? null : use(value, name)
      if (used !== null) return used
    }
    return null
  }
  return {
    request_id: read('request_id', textOf),
    method: read('method', methodOf),
    path: read('path', pathOf),
    status: read('status', statusOf),
    upstream_status: read('upstream_status', statusOf),
    attempts: read('attempts', attemptsOf),
    duration_ms: read('duration_ms', (value, name) => durationOf(value, name, attributes)),
    bytes_sent: read('bytes_sent', countOf),
    bytes_received: read('bytes_received', countOf),
    response_flags: read('response_flags', textOf),
    upstream: read('upstream', textOf),
  }
}

/** A member by its name, which may contain dots, or of a member of a member. */
export function memberOf(object: JsonObject, name: string): Json | undefined {
  const direct = own(object, name)
  if (direct !== undefined) return direct
  let value: Json | undefined = object
  for (const part of name.split('.')) {
    if (!isRecord(value) || Array.isArray(value)) return undefined
    value = own(value as JsonObject, part)
  }
  return value
}

/** What Envoy, and HAProxy for servers, write for what is absent. */
const ABSENT = new Set(['', '-', '<NOSRV>'])

function textOf(value: Json): string | null {
  if (typeof value === 'number') return String(value)
  // The semantic conventions have headers as lists.
  if (Array.isArray(value)) return value.length === 1 && typeof value[0] === 'string' ? textOf(value[0]) : null
  return typeof value === 'string' && !ABSENT.has(value) ? value : null
}

function methodOf(value: Json): string | null {
  return typeof value === 'string' && /^[A-Za-z-]{1,40}$/.test(value) ? value.toUpperCase() : null
}

/** The path of a path with a query, or of a URL. */
function pathOf(value: Json): string | null {
  if (typeof value !== 'string') return null
  const target = value.startsWith('/') ? value : targetOf(value)
  return target === null ? null : target.split(/[?#]/, 1)[0]!
}

function targetOf(url: string): string | null {
  const [, authority] = /^[a-z]{2,10}:\/\/([^/?#]*)/i.exec(url) ?? []
  if (authority === undefined) return null
  const slash = url.indexOf('/', url.indexOf(authority) + authority.length)
  return slash === -1 ? '/' : url.slice(slash)
}

function statusOf(value: Json): number | null {
  const number = numberOf(value)
  return number !== null && Number.isInteger(number) && number >= 100 && number <= 999 ? number : null
}

/** A number, or a list with one item for each. */
function attemptsOf(value: Json, name: string): number | null {
  if (Array.isArray(value)) return value.length
  const number = countOf(value)
  return number !== null && RETRIES.has(name) ? number + 1 : number
}

function countOf(value: Json): number | null {
  const number = numberOf(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

function durationOf(value: Json, name: string, attributes: JsonObject): number | null {
  const withUnit = typeof value === 'string' ? /^(\d{1,12}(?:\.\d{1,9})?) ?(ns|us|µs|ms|s)$/.exec(value) : null
  const number = withUnit === null ? numberOf(value) : Number(withUnit[1])
  if (number === null || number < 0) return null
  const ms = number * MILLISECONDS[withUnit?.[2] ?? unitOf(name, attributes)]!
  return ms <= MAX_DURATION_MS ? Math.round(ms * 1000) / 1000 : null
}

const MILLISECONDS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000 }

/** The unit of a number by the gateway that uses the name. */
function unitOf(name: string, attributes: JsonObject): string {
  if (name === 'Duration') return 'ns'
  // nginx.
  if (name === 'request_time') return 's'
  // Caddy; others use the name for milliseconds.
  if (name === 'duration' && isRecord(own(attributes, 'request')) && own(attributes, 'bytes_read') !== undefined)
    return 's'
  return 'ms'
}

function numberOf(value: Json): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : null
}
