/** Compares two requests: method, path, query, headers and body. */
import { connectionFieldTest } from '../../../../../core/toolkit/connection-fields.ts'
import { CONSOLE_HEADER, type Sent } from '../instance/gateway.ts'
import { familyOf } from './families.ts'
import { bodyBytes, headerOf, type Arrived, type NameValue } from '../protocol/http.ts'

export interface HeaderChange {
  /** `connection`: it belongs to the last connection on the way, which is the gateway's if there is one. */
  kind: 'added' | 'removed' | 'changed' | 'same' | 'connection'
  name: string
  /** Absent: the header was not in the first request. */
  before?: string
  after?: string
}

export interface ValueChange {
  before: string
  after: string
}

export interface Comparison {
  /** In the order of the second request; removed headers at the end. */
  headers: HeaderChange[]
  method: ValueChange | null
  path: ValueChange | null
  query: ValueChange | null
  body: { before: Uint8Array; after: Uint8Array } | null
}

/** The parts of a request that are compared. */
export interface ComparedRequest {
  method: string
  /** Path and query. */
  uri: string
  headers: readonly NameValue[]
  body: Uint8Array
  /** Only a part of the body is known. */
  isCut: boolean
}

/** Headers that browsers, connections or the console add automatically. */
const AUTOMATIC =
  /^(?:accept|accept-encoding|accept-language|cache-control|connection|content-length|cookie|dnt|keep-alive|origin|pragma|priority|referer|sec-.*|te|transfer-encoding|upgrade-insecure-requests|user-agent|x-request-id|x-svc-console)$/

/** Whether browsers, connections or the console add the header automatically. */
export function isAutomatic(name: string): boolean {
  return AUTOMATIC.test(name)
}

export function ofEntry(entry: Arrived): ComparedRequest {
  return {
    method: entry.method,
    uri: entry.uri,
    headers: entry.headers,
    body: bodyBytes(entry),
    isCut: entry.body_truncated,
  }
}

/** A request that the console sent, with the `Host` header of its URL. */
export function ofSent(sent: Sent): ComparedRequest {
  const url = new URL(sent.url)
  const headers = sent.headers.map(({ name, value }) => ({ name: name.toLowerCase(), value }))
  const body = typeof sent.body === 'string' ? new TextEncoder().encode(sent.body) : (sent.body ?? new Uint8Array())
  if (typeof sent.body === 'string' && sent.body !== '' && headerOf(headers, 'content-type') === null)
    headers.push({ name: 'content-type', value: 'text/plain;charset=UTF-8' })
  return {
    method: sent.method,
    uri: url.pathname + url.search,
    headers: [{ name: 'host', value: url.host }, ...headers],
    body,
    isCut: false,
  }
}

/** Compares two requests. `isTransit`: one request before and after a gateway; ignores automatic headers. */
export function compareRequests(
  before: ComparedRequest,
  after: ComparedRequest,
  { isTransit = true } = {},
): Comparison {
  const [path, query] = splitUri(before.uri)
  const [arrivedPath, arrivedQuery] = splitUri(after.uri)
  const difference = (a: string, b: string) => (a === b ? null : { before: a, after: b })
  return {
    headers: compareHeaders(before.headers, after.headers, isTransit),
    method: difference(before.method, after.method),
    path: difference(path, arrivedPath),
    query: difference(query, arrivedQuery),
    body:
      before.isCut || after.isCut || sameBytes(before.body, after.body)
        ? null
        : { before: before.body, after: after.body },
  }
}

/** Number of differences. */
export function countChanges({ headers, method, path, query, body }: Comparison): number {
  return (
    headers.filter(({ kind }) => kind !== 'same' && kind !== 'connection').length +
    [method, path, query, body].filter(change => change !== null).length
  )
}

function compareHeaders(before: readonly NameValue[], after: readonly NameValue[], isTransit: boolean): HeaderChange[] {
  const old = group(before)
  const isOfConnection = connectionFieldTest(after.map(({ name, value }) => [name, value] as const))
  const changes = [...group(after)].map(([name, value]): HeaderChange => {
    const previous = old.get(name)
    if (isTransit && isOfConnection(name)) return { kind: 'connection', name, after: value }
    if (previous === value) return { kind: 'same', name, before: value, after: value }
    if (isTransit && isAutomatic(name)) return { kind: 'same', name, after: value }
    return previous === undefined
      ? { kind: 'added', name, after: value }
      : { kind: 'changed', name, before: previous, after: value }
  })
  const arrived = group(after)
  for (const [name, value] of old) {
    // Over HTTP/2, the host is in a pseudo-header (RFC 9113, 8.3.1), so `Host` was not removed.
    if (!arrived.has(name) && !(isTransit && (isAutomatic(name) || name === 'host')))
      changes.push({ kind: 'removed', name, before: value })
  }
  return changes
}

/** Joins repeated headers into one list (RFC 9110, 5.2). */
function group(headers: readonly NameValue[]): Map<string, string> {
  const grouped = new Map<string, string>()
  for (const { name, value } of headers) {
    const lower = name.toLowerCase()
    const known = grouped.get(lower)
    grouped.set(lower, known === undefined ? value.trim() : `${known}, ${value.trim()}`)
  }
  return grouped
}

function splitUri(uri: string): [path: string, query: string] {
  const at = uri.indexOf('?')
  return at === -1 ? [uri, ''] : [uri.slice(0, at), uri.slice(at)]
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

export interface HeaderGroups {
  client: NameValue[]
  /** Fields of the last connection on the way: the gateway's, if there is one. */
  connection: NameValue[]
  gateway: (NameValue & { family: string })[]
}

/** Groups headers into those of the client, a gateway and the connection, by their names. Omits the console header. */
export function groupByName(headers: readonly NameValue[]): HeaderGroups {
  const groups: HeaderGroups = { client: [], connection: [], gateway: [] }
  const isOfConnection = connectionFieldTest(headers.map(({ name, value }) => [name, value] as const))
  for (const header of headers) {
    const family = familyOf(header.name)
    if (family !== null) groups.gateway.push({ ...header, family })
    else if (isOfConnection(header.name)) groups.connection.push(header)
    else if (header.name !== CONSOLE_HEADER) groups.client.push(header)
  }
  return groups
}
