/** Sends data plane requests directly to the instance or through a gateway, and remembers what was sent. */
import { signal } from '@preact/signals'
import { instanceBase } from './page.ts'
import { activeGateway, settings, type Gateway } from '../shell/storage.ts'
import { familyOf } from '../traffic/families.ts'
import { randomId } from '../protocol/ids.ts'
import { trimEndCharacters } from '../protocol/trim.ts'
import { bodyBytes, type Arrived, type Entry, type NameValue } from '../protocol/http.ts'

/** Identifies a request of the console, since a gateway may replace its request ID. */
export const CONSOLE_HEADER = 'x-svc-console'
/** Value for requests that only load data for the page; the live traffic does not show them. */
export const LOOK_UP = 'look-up'

export interface OutgoingRequest {
  method: string
  /** Path and query with a leading slash, or an absolute URL, which never goes through a gateway. */
  path: string
  headers?: NameValue[]
  body?: string | Uint8Array<ArrayBuffer> | null
  /** Null: direct. Absent: the active target of the settings. */
  gateway?: Gateway | null
  signal?: AbortSignal
  /** Default `follow`. */
  redirect?: RequestRedirect
  /** Only loads data for the page: the live traffic does not show it. */
  isLookUp?: boolean
  /** URL fragment, which is never sent. Identifies this request in the timings of the browser. */
  fragment?: string
}

/** A request that the console sent, kept to compare it with the captured one. */
export interface Sent {
  /** Also the value of `X-Svc-Console`. */
  id: string
  /** `con-<uuid>`, the `X-Request-Id`. */
  requestId: string
  method: string
  url: string
  path: string
  headers: NameValue[]
  body: string | Uint8Array<ArrayBuffer> | null
  /** Name of the gateway; null: direct. */
  gateway: string | null
  /** Milliseconds since 1970. */
  sentAt: number
  /** The response; null: none yet, or none at all. */
  response: { status: number; headers: NameValue[]; ms: number } | null
}

/** There is no response: no connection, or CORS does not allow the page to read it. */
export class UnreachableError extends Error {
  readonly sent: Sent

  constructor(sent: Sent) {
    super(
      sent.gateway === null
        ? `${new URL(sent.url).origin} is not responding.`
        : `The gateway ${sent.gateway} (${new URL(sent.url).origin}) cannot be reached, or its CORS settings do not allow this page to read its responses. On the gateway, allow the origin ${location.origin} and the headers of the request. The curl command works without CORS.`,
    )
    this.sent = sent
  }
}

const MAX_SENT = 300
const sentRequests = signal<ReadonlyMap<string, Sent>>(new Map())
/** Shares sent requests with other tabs of the console, so that their traffic views can compare them too. */
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('svc.console.sent')
if (channel) channel.onmessage = ({ data }: MessageEvent<Sent>) => remember(data)

/** Absolute URL of a path at a target. */
export function urlAt(path: string, gateway: Gateway | null): string {
  if (isAbsolute(path)) return path
  return (gateway === null ? instanceBase : `${trimEndCharacters(gateway.url, '/')}/`) + path.replace(/^\//, '')
}

/**
 * Sends a request and resolves when the response headers arrive. Adds `X-Request-Id`, `X-Svc-Console`, the session and
 * the headers of the gateway. Throws UnreachableError, TypeError for a request that browsers do not send, or AbortError.
 */
export async function send(request: OutgoingRequest): Promise<{ sent: Sent; response: Response }> {
  const sent = prepare(request)
  const share = (known: Sent): void => {
    if (request.isLookUp) return
    remember(known)
    channel?.postMessage(known)
  }
  share(sent)
  const init: RequestInit = {
    method: sent.method,
    headers: sent.headers.map(({ name, value }): [string, string] => [name, value]),
    cache: 'no-store',
    credentials: 'omit',
    redirect: request.redirect ?? 'follow',
  }
  if (sent.body !== null && !/^(GET|HEAD)$/i.test(sent.method)) init.body = sent.body
  if (request.signal) init.signal = request.signal
  // Throws a TypeError for an invalid request, instead of reporting an unreachable gateway.
  const checked = new Request(
    request.fragment === undefined ? sent.url : `${sent.url.replace(/#.*/, '')}#${request.fragment}`,
    init,
  )
  const startedAt = performance.now()
  let response: Response
  try {
    response = await fetch(checked)
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw new UnreachableError(sent)
  }
  const completed = {
    ...sent,
    response: {
      status: response.status,
      headers: [...response.headers].map(([name, value]) => ({ name, value })),
      ms: performance.now() - startedAt,
    },
  }
  share(completed)
  return { sent: completed, response }
}

function isAbsolute(path: string): boolean {
  return /^https?:\/\//i.test(path)
}

function prepare({
  method,
  path,
  headers = [],
  body = null,
  gateway: wanted = activeGateway(),
  isLookUp = false,
}: OutgoingRequest): Sent {
  const id = randomId()
  const gateway = isAbsolute(path) ? null : wanted
  // Servers other than the instance would have to allow these headers (CORS), and do not need them.
  const isForeign = isAbsolute(path) && !path.startsWith(instanceBase)
  const given = isForeign ? headers : targetHeaders(headers, gateway)
  const marks: NameValue[] = isForeign
    ? []
    : [
        { name: 'X-Request-Id', value: `con-${id}` },
        { name: 'X-Svc-Console', value: isLookUp ? LOOK_UP : id },
      ]
  return {
    id,
    requestId: `con-${id}`,
    method: method.toUpperCase(),
    url: urlAt(path, gateway),
    path,
    body,
    gateway: gateway?.name ?? null,
    sentAt: Date.now(),
    response: null,
    headers: [...given, ...without(marks, given)],
  }
}

/** The headers of a request with those of the gateway and the session. Headers of the request take precedence. */
export function targetHeaders(headers: readonly NameValue[], gateway: Gateway | null): NameValue[] {
  const { session } = settings.value
  const given = [...without(gateway?.headers ?? [], headers), ...headers].filter(({ name }) => name.trim() !== '')
  return session === '' ? given : [...given, ...without([{ name: 'X-Svc-Session', value: session }], given)]
}

function without(headers: readonly NameValue[], others: readonly NameValue[]): NameValue[] {
  return headers.filter(({ name }) => !others.some(other => other.name.toLowerCase() === name.toLowerCase()))
}

function remember(sent: Sent): void {
  const next = new Map(sentRequests.value)
  next.delete(sent.id)
  next.set(sent.id, sent)
  while (next.size > MAX_SENT) next.delete(next.keys().next().value!)
  sentRequests.value = next
}

/** The sent request that belongs to a captured one; null if another client sent it. */
export function sentOf(entry: Pick<Entry, 'headers' | 'request_id'>): Sent | null {
  const mark = entry.headers.find(({ name }) => name === CONSOLE_HEADER)?.value ?? entry.request_id.replace(/^con-/, '')
  return sentRequests.value.get(mark) ?? null
}

/**
 * The request of a captured entry, to send it again: as the console sent it, or else as it arrived, without headers that
 * belong to the connection or that a gateway added.
 */
export function requestOf(entry: Arrived): OutgoingRequest {
  const sent = sentOf(entry)
  if (sent !== null)
    return {
      method: sent.method,
      path: sent.path,
      headers: sent.headers.filter(({ name }) => !MARKS.test(name)),
      body: sent.body,
    }
  return {
    method: entry.method,
    path: entry.uri,
    headers: entry.headers.filter(
      ({ name }) => !CONNECTION.test(name) && !MARKS.test(name) && [null, 'Tracing'].includes(familyOf(name)),
    ),
    body: entry.body_size === 0 ? null : (entry.body ?? bodyBytes(entry)),
  }
}

const MARKS = /^(?:x-request-id|x-svc-console)$/i
const CONNECTION =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|upgrade|te|trailer|expect|proxy-.*|sec-.*)$/
