/** Redirect URIs (RFC 6749, 3.1.2): syntax checks, and adding response parameters. */

const MAX_CHARACTERS = 2048
/** Visible ASCII without the fragment's `#`: anything else would break the `Location` header. */
const PLAIN_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/
/** Requires an authority after `//`, because parsers disagree about the host of `http:host` and `http:///host`. */
const WEB_URI = /^https?:\/\/[^/?#\\]/i
/** A private-use URI scheme of a native app (RFC 8252, 7.1). */
const PRIVATE_USE_URI = /^([a-z][a-z0-9+.-]*):\//i
/** Schemes that browsers handle themselves or that belong to other programs. */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'filesystem',
  'blob',
  'about',
  'ftp',
  'ftps',
  'ws',
  'wss',
  'mailto',
  'tel',
  'view-source',
])

/** Whether this is an absolute http(s) URI with a host, at most 2048 characters. */
export function isWebRedirectUri(uri: string): boolean {
  return isPlain(uri) && WEB_URI.test(uri) && URL.canParse(uri)
}

/** Whether a client may register this URI: http(s), or a private-use scheme. */
export function isRegistrableRedirectUri(uri: string): boolean {
  if (isWebRedirectUri(uri)) return true
  const scheme = isPlain(uri) ? PRIVATE_USE_URI.exec(uri)?.[1]!.toLowerCase() : undefined
  return scheme !== undefined && scheme !== 'http' && scheme !== 'https' && !FORBIDDEN_SCHEMES.has(scheme)
}

function isPlain(uri: string): boolean {
  return uri.length <= MAX_CHARACTERS && PLAIN_CHARACTERS.test(uri)
}

/** Appends form-encoded parameters to the query of the URI (RFC 6749, 4.1.2). */
export function appendParameters(uri: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString()
  if (uri.endsWith('?') || uri.endsWith('&')) return uri + query
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
