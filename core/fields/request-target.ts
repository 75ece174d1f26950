/** The path by which the core decides: decoded as the router decodes it, so that no escape slips past a rule. */

const SLASH = 0x2f

/**
 * The request target in origin form (RFC 9112, 3.2.1): the absolute form `http://host/path?query` loses scheme and
 * authority, everything else stays. The router reads absolute targets in the same way. Null when an absolute target has
 * no host or another scheme, or holds a fragment.
 */
export function originForm(url: string): string | null {
  if (url.charCodeAt(0) === SLASH || url === '*') return url
  const scheme = /^https?:\/\//i.exec(url)
  if (scheme === null || url.includes('#')) return null
  const authorityStart = scheme[0].length
  const end = url.slice(authorityStart).search(/[/?]/)
  if (end === 0 || authorityStart === url.length) return null
  if (end === -1) return '/'
  const target = url.slice(authorityStart + end)
  return target.charCodeAt(0) === SLASH ? target : `/${target}`
}

/**
 * Path of a request target without query, percent-decoded but for the reserved characters (`%2F` is no slash and `%3F`
 * no question mark: the router takes them for part of a segment). Null when its percent-encoding is malformed.
 */
export function decodedPath(url: string): string | null {
  const target = originForm(url)
  if (target === null) return null
  const end = pathEnd(target)
  const path = end === target.length ? target : target.slice(0, end)
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return null
  }
}

/** A request target has no fragment, but the router ends the path at `#` as well. */
function pathEnd(target: string): number {
  const query = target.indexOf('?')
  const fragment = target.indexOf('#')
  if (fragment !== -1 && (query === -1 || fragment < query)) return fragment
  return query === -1 ? target.length : query
}

/** Whether a decoded path is the prefix itself or lies below it: `/a` and `/a/b` are below `/a`, `/ab` is not. */
export function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === SLASH)
}
