/**
 * Requests to URLs that clients name: to own paths, in-process, and to hosts that the operator allows. Without redirects,
 * with a limit of time and size.
 */
import type { Svc } from 'svc/plugin'

const TIMEOUT_MS = 3000
const MAX_AT_ONCE = 8
const MAX_AT_ONCE_PUBLIC = 2

/** Why nothing usable came back, in printable ASCII. */
export class FetchProblem extends Error {}

/** What is sent. */
export interface OutboundRequest {
  /** The base URL of this instance, as the client named it. */
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
  /** Whether the URL may be requested: it is an own one, or its host is allowed. */
  isAllowed(url: string, ownBase: string): boolean
  /** Sends a request; throws a `FetchProblem`. */
  send(url: string, request: OutboundRequest): Promise<OutboundResponse>
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
  const allowed = new Set(allow.map(host => host.toLowerCase()))

  function isAllowed(url: string, ownBase: string): boolean {
    if (!URL.canParse(url)) return false
    const { protocol, host, hostname, username, password } = new URL(url)
    if ((protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== '') return false
    return isOwnUrl(url, ownBase) || allowed.has(host) || allowed.has(hostname)
  }

  return {
    isAllowed,
    async send(url, request) {
      if (!isAllowed(url, request.ownBase)) throw new FetchProblem('its host is not in identity.fetch_allow')
      if (active.count >= maxAtOnce) throw new FetchProblem('too many requests are sent at the moment')
      active.count++
      try {
        return isOwnUrl(url, request.ownBase) ? await callOwn(url, request, svc) : await fetchRemote(url, request)
      } catch (error) {
        if (error instanceof FetchProblem) throw error
        const isLate = error instanceof Error && error.name === 'TimeoutError'
        // Other reasons may contain text of the other side.
        throw new FetchProblem(isLate ? `no response came within ${TIMEOUT_MS} ms` : 'no usable response came')
      } finally {
        active.count--
      }
    },
  }
}

/** Whether a URL is below the base URL of this instance. */
export function isOwnUrl(url: string, ownBase: string): boolean {
  const [target, base] = [new URL(url), new URL(ownBase)]
  const prefix = base.pathname.replace(/\/$/, '')
  return target.origin === base.origin && target.pathname.startsWith(`${prefix}/`)
}

async function callOwn(
  url: string,
  { ownBase, maxBytes, method = 'GET', headers, body }: OutboundRequest,
  { http }: Pick<Svc, 'http'>,
): Promise<OutboundResponse> {
  const { pathname, search } = new URL(url)
  const call = http.call(null, {
    method,
    path: pathname.slice(new URL(ownBase).pathname.replace(/\/$/, '').length),
    ...(search !== '' && { query: search.slice(1) }),
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
  url: string,
  { maxBytes, method = 'GET', headers, body }: OutboundRequest,
): Promise<OutboundResponse> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  })
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    cacheControl: response.headers.get('cache-control') ?? '',
    body: await readAtMost(response, maxBytes),
  }
}

async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new FetchProblem(`the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
