/**
 * Requests of plugins to URLs that clients, settings and documents name: to own paths, in-process, and to hosts that the
 * operator allows. Without redirects, with limits of time, size and number.
 *
 * A request says itself which host it is for, so `Host` must not decide what other URLs mean. A *place* is either a path of
 * this instance or the URL of an allowed host. A client names its place once, with a URL as it sees this instance; settings
 * name it as a path or URL, and what is a URL there is never a path of this instance.
 */
import type { SvcHttp } from '../contract/http.ts'
import { boundedFetch, FetchFailure, hostList } from './bounded-fetch.ts'

const TIMEOUT_MS = 3000

/** Why nothing usable came back, in printable ASCII. */
export class FetchProblem extends Error {
  override readonly name = 'FetchProblem'
}

/** What is sent. */
export interface OutboundRequest {
  /** The base URL of this instance, for routes that make URLs. */
  ownBase: string
  maxBytes: number
  /** Default: GET. */
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
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

/** What limits the requests of a fetcher. */
export interface FetcherOptions {
  /** `host` and `host:port`. */
  allow: readonly string[]
  /** The setting or variable with that list, for messages. */
  setting: string
  /** The number of open requests; fetchers that share it count together. Take it from `svc.shared`. */
  active: { count: number }
  maxAtOnce: number
}

/** Opens a fetcher: the one way for requests to other servers, because it bounds them. */
export function createFetcher(
  svc: { http: Pick<SvcHttp, 'call'> },
  { allow, setting, active, maxAtOnce }: FetcherOptions,
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
      const url = isOwnPlace(place) ? null : httpUrl(place)
      if (!isOwnPlace(place) && (url === null || !isAllowed(url)))
        throw new FetchProblem(`its host is not in ${setting}`)
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

/** Whether a place of a fetcher is a path of this instance. */
export function isOwnPlace(place: string): boolean {
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
  { http }: { http: Pick<SvcHttp, 'call'> },
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
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    cacheControl: response.headers.get('cache-control') ?? '',
    body: response.body.toString(),
  }
}
