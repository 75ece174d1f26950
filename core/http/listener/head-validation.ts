/**
 * Detects problems in a request head that Node's parser accepts. A lax upstream would hide bugs of the gateway in front
 * of it: duplicate `Host` headers and unusual `Transfer-Encoding` values enable request smuggling.
 */
import { isIPv6 } from 'node:net'
import type { IncomingHttpHeaders } from 'node:http'

export interface RequestHead {
  /** As reported by the parser: `2.0` and `0.9` are possible in a text request line. */
  httpVersion: string
  method?: string | undefined
  rawHeaders: string[]
  headers: IncomingHttpHeaders
}

const COLON = 0x3a
/** Names are compared by length first, because the loop runs over every header of every request. */
const HOST_LENGTH = 4

/**
 * One sentence for the 400 response, or null. Call it before anything else, for requests and upgrades of all listeners
 * with `requireHostHeader: false` (RFC 9112, 3.2 and 6.1 to 6.3). HTTP/2 requests are accepted: their first raw header
 * is a pseudo-header, which is not a valid field name in text.
 */
export function headProblem({ httpVersion, headers, rawHeaders }: RequestHead): string | null {
  if (rawHeaders.length > 0 && rawHeaders[0]!.charCodeAt(0) === COLON) return null
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return `HTTP/${httpVersion} in the request line (expected HTTP/1.1 or HTTP/1.0)`
  return hostProblem(httpVersion, headers.host, rawHeaders) ?? framingProblem(httpVersion, headers)
}

function hostProblem(httpVersion: string, host: string | undefined, rawHeaders: string[]): string | null {
  if (host === undefined) return httpVersion === '1.1' ? 'no Host header' : null
  let lines = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === HOST_LENGTH && rawHeaders[i]!.toLowerCase() === 'host') lines++
  }
  if (lines > 1) return 'more than one Host header'
  return isHost(host) ? null : 'the Host header is not a valid host'
}

/** `uri-host [ ":" port ]` (RFC 9110, 7.2); empty if the target has no authority. */
function isHost(host: string): boolean {
  if (host.charCodeAt(0) !== 0x5b) return /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*(?::\d*)?$/i.test(host)
  const end = host.indexOf(']')
  return end !== -1 && isIPv6(host.slice(1, end)) && /^(?::\d*)?$/.test(host.slice(end + 1))
}

function framingProblem(httpVersion: string, headers: IncomingHttpHeaders): string | null {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (length !== undefined && !/^\d+$/.test(length)) return 'the Content-Length header is not a number'
  if (length !== undefined && !Number.isSafeInteger(Number(length))) return 'the Content-Length header is too large'
  if (coding === undefined) return null
  if (length !== undefined) return 'both Content-Length and Transfer-Encoding are present'
  if (httpVersion === '1.0') return 'Transfer-Encoding in an HTTP/1.0 request'
  return coding.toLowerCase() === 'chunked' ? null : 'unsupported Transfer-Encoding (expected chunked)'
}
