/** Requests to other servers: bounded in size and time, and only to hosts that the operator allows. */
import { joinSignals } from './joined-signal.ts'

export interface BoundedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  /** Until the response is complete, in milliseconds. */
  timeoutMs: number
  /** Bytes of the response body. Null: the body is not read. */
  maxBytes: number | null
  /** Ends the request. */
  signal?: AbortSignal
  /** A redirect could lead to a host that is not allowed, so redirects are not followed by default. */
  followsRedirects?: boolean
  /** Whether a request may be sent to this URL, such as `hostList(…)`. Default: the caller has decided. */
  allows?: (url: URL) => boolean
}

export interface BoundedResponse {
  status: number
  headers: Headers
  body: Buffer
}

/** Why there is no response. The message has no text of the other side. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly reason: 'not_allowed' | 'timeout' | 'too_large' | 'failed'

  constructor(reason: FetchFailure['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** Sends a request; rejects with a `FetchFailure`. A response with an error status is a response. */
export async function boundedFetch(url: string | URL, request: BoundedRequest): Promise<BoundedResponse> {
  const { method = 'GET', headers = {}, body, timeoutMs, maxBytes, signal, followsRedirects = false, allows } = request
  if (allows?.(new URL(url)) === false) throw new FetchFailure('not_allowed', 'the host is not allowed')
  const late = AbortSignal.timeout(timeoutMs)
  const joined = signal === undefined ? { signal: late, release() {} } : joinSignals(signal, late)
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: followsRedirects ? 'follow' : 'manual',
      signal: joined.signal,
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, headers: response.headers, body: await readBody(response, maxBytes) }
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    if (late.aborted && signal?.aborted !== true)
      throw new FetchFailure('timeout', `no response came within ${timeoutMs} ms`, error)
    throw new FetchFailure('failed', 'no usable response came', error)
  } finally {
    joined.release()
  }
}

async function readBody(response: Response, maxBytes: number | null): Promise<Buffer> {
  if (maxBytes === null) {
    await response.body?.cancel()
    return Buffer.alloc(0)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new FetchFailure('too_large', `the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * A list of hosts (`host` or `host:port`, IPv6 addresses in brackets), which allows http and https URLs of these hosts without
 * user names. Compares after the parsing of the URL standard, which has one spelling for each address.
 */
export function hostList(hosts: readonly string[]): (url: URL) => boolean {
  const allowed = new Set(hosts.map(host => host.toLowerCase()))
  return url => {
    const defaultPort = DEFAULT_PORTS[url.protocol]
    if (defaultPort === undefined || url.username !== '' || url.password !== '') return false
    return allowed.has(url.hostname) || allowed.has(`${url.hostname}:${url.port || defaultPort}`)
  }
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }
