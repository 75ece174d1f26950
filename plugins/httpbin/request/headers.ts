/** Names and values of the request headers. */
import type { FastifyRequest } from 'svc/plugin'
import type { Original } from '../operation.ts'

/** Values by canonical name, in the order of arrival. */
export type HeaderValues = Map<string, string[]>

/** Fields of proxies, which httpbin leaves out unless the query has `show_env`. */
const PROXY_FIELDS = new Set([
  'X-Varnish',
  'X-Request-Start',
  'X-Heroku-Queue-Depth',
  'X-Real-Ip',
  'X-Forwarded-Proto',
  'X-Forwarded-Protocol',
  'X-Forwarded-Ssl',
  'X-Heroku-Queue-Wait-Time',
  'X-Forwarded-For',
  'X-Heroku-Dynos-In-Use',
  'X-Forwarded-Port',
  'X-Request-Id',
  'Via',
  'Total-Route-Time',
  'Connect-Time',
])

/** Header lines as received: names and values, alternating. */
export function readHeaders(lines: readonly string[], original: Original): HeaderValues {
  const headers: HeaderValues = new Map()
  for (let index = 0; index < lines.length; index += 2) {
    const received = lines[index]!
    // HTTP/2 (RFC 9113, 8.3.1): the authority replaces `Host`.
    if (received.startsWith(':') && received !== ':authority') continue
    const name = canonicalName(received === ':authority' ? 'host' : received, original)
    const value = original === 'httpbin' ? lines[index + 1]! : Buffer.from(lines[index + 1]!, 'latin1').toString()
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [value])
    else if (name !== 'Host') values.push(value)
  }
  return headers
}

export function withoutProxyFields(headers: HeaderValues): HeaderValues {
  return new Map([...headers].filter(([name]) => !PROXY_FIELDS.has(name)))
}

/** Upper case after every hyphen, in httpbin after every character that is not a letter. */
function canonicalName(name: string, original: Original): string {
  const boundary = original === 'httpbin' ? /(?<![a-z])[a-z]/g : /(?<![^-])[a-z]/g
  return name.toLowerCase().replace(boundary, letter => letter.toUpperCase())
}

/** A field with one value, as Node parsed it. */
export function field({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
