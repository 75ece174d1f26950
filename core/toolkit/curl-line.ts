/** Requests as arguments of curl, and examples of routes as commands for a POSIX shell. */
import type { CatalogEndpoint } from '../contract/instance.ts'
import { quoteWord } from './shell.ts'

type Example = CatalogEndpoint['examples'][number]
type Protocol = CatalogEndpoint['protocol']

const CONTENT_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  form: 'application/x-www-form-urlencoded',
} as const
/** Headers of a WebSocket handshake (RFC 6455, 4.1), with the key of the RFC's example. */
const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]

/** The `curl` command that sends an example to `baseUrl`. For a WebSocket it sends the handshake. */
export function curlLine(example: Example, baseUrl: string, protocol: Protocol): string {
  const url = baseUrl + example.path
  const words = [...curlArguments(example, protocol), url]
  return ['curl', ...(isGlob(url) ? ['-g'] : []), ...words].map(quoteWord).join(' ')
}

/** The unquoted arguments of curl for an example, without the URL. URLs with brackets or braces also need `-g`. */
export function curlArguments(example: Example, protocol: Protocol): string[] {
  const { method, body } = example
  const words = [...flagsOf(example, protocol), ...curlMethod(method, body !== null)]
  for (const header of headersOf(example, protocol)) words.push('-H', header)
  if (example.auth?.type === 'basic') words.push('-u', `${example.auth.username}:${example.auth.password}`)
  if (body !== null) words.push('--data-raw', body)
  return words
}

/** The arguments for a method. curl sends GET, or POST with a body, on its own; `--head` must not be combined with a body. */
export function curlMethod(method: string, hasBody: boolean): string[] {
  if (method === 'HEAD' && !hasBody) return ['--head']
  return method === (hasBody ? 'POST' : 'GET') ? [] : ['-X', method]
}

/** The arguments without which curl would change a URL: it expands brackets and braces, and removes dot segments. */
export function curlUrlFlags(url: string): string[] {
  return [...(isGlob(url) ? ['-g'] : []), ...(hasDotSegments(url) ? ['--path-as-is'] : [])]
}

/** The argument of `-H`. For a header without a value, curl expects a semicolon instead of the colon. */
export function curlHeader({ name, value }: { name: string; value: string }): string {
  return value === '' ? `${name};` : `${name}: ${value}`
}

function flagsOf(example: Example, protocol: Protocol): string[] {
  const flags: string[] = []
  if (protocol === 'sse') flags.push('-N')
  if (protocol === 'websocket') flags.push('-i', '-N', '--http1.1', '--max-time', '3')
  if (hasDotSegments(example.path)) flags.push('--path-as-is')
  return flags
}

function isGlob(url: string): boolean {
  return /[[\]{}]/.test(url)
}

function hasDotSegments(url: string): boolean {
  return /\/\.{1,2}(?:[/?#]|$)/.test(url)
}

function headersOf({ headers, auth, body, body_type: bodyType }: Example, protocol: Protocol): string[] {
  const lines = protocol === 'websocket' ? [...HANDSHAKE] : []
  lines.push(...headers.map(curlHeader))
  const hasType = headers.some(({ name }) => name.toLowerCase() === 'content-type')
  if (body !== null && bodyType && !hasType) lines.push(`Content-Type: ${CONTENT_TYPES[bodyType]}`)
  if (auth?.type === 'bearer') lines.push(`Authorization: Bearer ${auth.token}`)
  return lines
}
