/** Owns how credentials of a request are hidden when it is shown. */

const MASKED_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-svc-key',
  'x-svc-admin-token',
])
const MASKED_PARAMETERS = new Set(['rb_key', 'svc_key'])

/** Six characters and the length are shown, of short ones the length alone. */
export function maskCredential(secret: string): string {
  return `${secret.length < 12 ? '' : secret.slice(0, 6)}... (${secret.length} chars, masked)`
}

/** Headers by lower-case name, repeated ones as arrays; credentials masked, HTTP/2's own fields (`:path`) left out. */
export function maskedHeaders(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const headers = new Map<string, string | string[]>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (name.startsWith(':')) continue
    const value = MASKED_HEADERS.has(name)
      ? maskHeader(name, rawHeaders[index + 1] ?? '')
      : (rawHeaders[index + 1] ?? '')
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(headers)
}

/** Path and query with the credentials in the query masked. */
export function maskedUri(uri: string): string {
  const [path = '', query] = splitOnce(uri, '?')
  if (query === undefined) return uri
  const parameters = query.split('&').map(parameter => {
    const [name = '', value] = splitOnce(parameter, '=')
    return value !== undefined && MASKED_PARAMETERS.has(name) ? `${name}=${maskCredential(value)}` : parameter
  })
  return `${path}?${parameters.join('&')}`
}

/** The scheme of an `Authorization` value, such as `Bearer`, is no secret. */
function maskHeader(name: string, value: string): string {
  const [scheme, credentials] = name.endsWith('authorization') ? splitOnce(value, ' ') : [value, undefined]
  return credentials === undefined ? maskCredential(value) : `${scheme} ${maskCredential(credentials)}`
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator)
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)]
}
