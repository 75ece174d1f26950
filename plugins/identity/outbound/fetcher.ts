/**
 * Requests to URLs that clients and settings name: to own paths, in-process, and to hosts that the operator allows. Without
 * redirects, with a limit of time and size.
 *
 * A request says itself which host it is for, so `Host` must not decide what other URLs mean. A *place* is either a path of
 * this instance or the URL of an allowed host. A client names its place once, with a URL as it sees this instance; settings
 * name it as a path or URL, and what is a URL there is never a path of this instance.
 */
import { type Svc } from 'svc/plugin'
import { boundedFetch, FetchFailure, hostList } from 'svc/toolkit'

const TIMEOUT_MS = 3000
const MAX_AT_ONCE = 8
const MAX_AT_ONCE_PUBLIC = 2

/** Why nothing usable came back, in printable ASCII. */
export class FetchProblem extends Error {}

/** What is sent. */
export interface OutboundRequest {
  /** The base URL of this instance, for routes that make URLs. */
  ownBase: string
  maxBytes: number
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** The response. */
export interface OutboundResponse {
  status: number
  contentType: string
  cacheControl: string
  body: string
}

/** Sends requests. */
export interface Fetcher {
  /**
   * The place of a URL that a client names in a request: the URL if its host is allowed, else a path if it is below
   * `ownBase`, the base URL of the request; null if it is neither.
   */
  placeOf(url: string, ownBase: string): string | null
  /** Sends a request to a place; throws a `FetchProblem`. */
  send(place: string, request: OutboundRequest): Promise<OutboundResponse>
}

/** Requests that count together. */
interface RequestLimit {
  active: { count: number }
  maxAtOnce: number
}

/** The limit of documents and keys that clients name. */
export function documentLimit(svc: Pick<Svc, 'shared' | 'config'>): RequestLimit {
  return {
    active: svc.shared('fetches', () => ({ count: 0 })),
    maxAtOnce: svc.config.publicMode ? MAX_AT_ONCE_PUBLIC : MAX_AT_ONCE,
  }
}

/** Opens the fetcher. `allow` lists `host` and `host:port`. */
export function createFetcher(
  svc: Pick<Svc, 'http'>,
  allow: readonly string[],
  { active, maxAtOnce }: RequestLimit,
): Fetcher {
  const isAllowed = hostList(allow)

  return {
    placeOf(text, ownBase) {
      const url = httpUrl(text)
      if (url === null) return null
      // An allowed host is another one, whatever `Host` says.
      return isAllowed(url) ? text : ownPath(url, new URL(ownBase))
    },
    async send(place, request) {
      const url = isOwn(place) ? null : httpUrl(place)
      if (!isOwn(place) && (url === null || !isAllowed(url)))
        throw new FetchProblem('its host is not in identity.fetch_allow')
      if (active.count >= maxAtOnce) throw new FetchProblem('too many requests are sent at the moment')
      active.count++
      try {
        return url === null ? await callOwn(place, request, svc) : await fetchRemote(url, request)
      } catch (error) {
        throw error instanceof FetchFailure ? new FetchProblem(error.message) : error
      } finally {
        active.count--
      }
    },
  }
}

/** Whether a place is a path of this instance. */
export function isOwn(place: string): boolean {
  return place.startsWith('/')
}

/** The URL of a text; null for one that is not an HTTP URL, or that has a user name. */
export function httpUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  return isHttp && url.username === '' && url.password === '' ? url : null
}

/** Path and query below a base URL; null if the URL is not below it. */
function ownPath({ origin, pathname, search }: URL, base: URL): string | null {
  const prefix = base.pathname.replace(/\/$/, '')
  return origin === base.origin && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) + search : null
}

async function callOwn(
  place: string,
  { ownBase, maxBytes, method = 'GET', headers, body }: OutboundRequest,
  { http }: Pick<Svc, 'http'>,
): Promise<OutboundResponse> {
  const [path = '/', query] = place.split('?', 2)
  const call = http.call(null, {
    method,
    path,
    ...(query !== undefined && { query }),
    ...(headers && { headers }),
    ...(body !== undefined && { body: Buffer.from(body) }),
    baseUrl: ownBase,
    timeoutMs: TIMEOUT_MS,
    maxBytes,
  })
  // Unlike those of other servers, these reasons are texts of this instance.
  const response = await call.catch((error: Error) => Promise.reject(new FetchProblem(error.message)))
  const field = (name: string): string => [response.headers[name] ?? ''].flat().join(', ')
  return {
    status: response.status,
    contentType: field('content-type'),
    cacheControl: field('cache-control'),
    body: response.body.toString(),
  }
}

async function fetchRemote(
  url: URL,
  { maxBytes, method = 'GET', headers = {}, body }: OutboundRequest,
): Promise<OutboundResponse> {
  const response = await boundedFetch(url, {
    method,
    headers,
    maxBytes,
    timeoutMs: TIMEOUT_MS,
    ...(body !== undefined && { body }),
  })
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    cacheControl: response.headers.get('cache-control') ?? '',
    body: response.body.toString(),
  }
}
