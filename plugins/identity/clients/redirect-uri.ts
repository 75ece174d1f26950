/** Redirect URIs (RFC 6749, 3.1.2): their syntax, and how response parameters are put behind one. */

const MAX_CHARACTERS = 2048
/** Visible ASCII without the fragment's `#`: anything else would break the `Location` header. */
const PLAIN_CHARACTERS = /^[\x21\x22\x24-\x7e]+$/
/** The authority begins at once: `http:host` and `http:///host` mean different hosts to different readers. */
const WEB_URI = /^https?:\/\/[^/?#\\]/i
/** A scheme of a native app's own (RFC 8252, 7.1). */
const PRIVATE_USE_URI = /^([a-z][a-z0-9+.-]*):\//i
/** Schemes that run or show something in the browser, or belong to other programs. */
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

/** Whether a client may register this: an http(s) URI, or one of a native app's own scheme. */
export function isRegistrableRedirectUri(uri: string): boolean {
  if (isWebRedirectUri(uri)) return true
  const scheme = isPlain(uri) ? PRIVATE_USE_URI.exec(uri)?.[1]!.toLowerCase() : undefined
  return scheme !== undefined && scheme !== 'http' && scheme !== 'https' && !FORBIDDEN_SCHEMES.has(scheme)
}

function isPlain(uri: string): boolean {
  return uri.length <= MAX_CHARACTERS && PLAIN_CHARACTERS.test(uri)
}

/** The URI as given with form-encoded parameters behind it (RFC 6749, 4.1.2). */
export function appendParameters(uri: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString()
  if (uri.endsWith('?') || uri.endsWith('&')) return uri + query
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
