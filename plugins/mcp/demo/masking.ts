/** Owns masking the credentials of a request. */
import { isSecretParameter } from 'svc/toolkit'

/** Masked even if they are empty. */
const MASKED_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-svc-key',
  'x-svc-admin-token',
])
const MASKED_PARAMETERS = new Set(['rb_key', 'svc_key'])

/** Keeps the first six characters and the length, or only the length of short secrets. */
export function maskCredential(secret: string): string {
  return `${secret.length < 12 ? '' : secret.slice(0, 6)}... (${secret.length} chars, masked)`
}

/** Headers by lower-case name, repeated ones as arrays, with credentials masked and without HTTP/2 pseudo-headers. */
export function maskedHeaders(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const headers = new Map<string, string | string[]>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (name.startsWith(':')) continue
    const given = rawHeaders[index + 1] ?? ''
    const value = MASKED_HEADERS.has(name) || isSecretParameter(name, given) ? maskHeader(name, given) : given
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(headers)
}

/** Path and query, with credentials in the query masked. */
export function maskedUri(uri: string): string {
  const [path = '', query] = splitOnce(uri, '?')
  if (query === undefined) return uri
  const parameters = query.split('&').map(parameter => {
    const [name = '', value] = splitOnce(parameter, '=')
    return value !== undefined && (MASKED_PARAMETERS.has(name) || isSecretParameter(name, value))
      ? `${name}=${maskCredential(value)}`
      : parameter
  })
  return `${path}?${parameters.join('&')}`
}

/** Does not mask the scheme of an `Authorization` header, such as `Bearer`. */
function maskHeader(name: string, value: string): string {
  const [scheme, credentials] = name.endsWith('authorization') ? splitOnce(value, ' ') : [value, undefined]
  return credentials === undefined ? maskCredential(value) : `${scheme} ${maskCredential(credentials)}`
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator)
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)]
}
