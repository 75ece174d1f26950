/** The path used for decisions of the core, decoded like the router does, so that no escape bypasses a rule. */

const SLASH = 0x2f

/**
 * The request target in origin form (RFC 9112, 3.2.1): scheme and authority are removed from the absolute form
 * `http://host/path?query`, everything else stays. The router treats absolute targets the same way. Null if an absolute
 * target has no host, another scheme or a fragment.
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

/** Host and port of a target in absolute form, which replace those of `Host` (RFC 9112, 3.2.2); null for other forms. */
export function authorityOfTarget(url: string): string | null {
  if (url.charCodeAt(0) === SLASH) return null
  const target = /^https?:\/\/([^/?#]+)/i.exec(url)
  return target === null ? null : target[1]!.slice(target[1]!.lastIndexOf('@') + 1)
}

/**
 * The path of a request target without its query, percent-decoded except for reserved characters (`%2F` is not a slash
 * and `%3F` not a question mark: the router treats them as part of a segment). Null if the percent-encoding is
 * malformed.
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

/** A request target has no fragment, but the router also ends the path at `#`. */
function pathEnd(target: string): number {
  const query = target.indexOf('?')
  const fragment = target.indexOf('#')
  if (fragment !== -1 && (query === -1 || fragment < query)) return fragment
  return query === -1 ? target.length : query
}

/** Whether a decoded path equals the prefix or is below it: `/a` and `/a/b` are below `/a`, `/ab` is not. */
export function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === SLASH)
}

/** Whether a decoded path belongs to one of a plugin's paths, which may end with a slash. `/` is the root alone. */
export function isServedBelow(path: string, prefix: string): boolean {
  return path === prefix || (prefix !== '/' && isBelow(path, prefix.replace(/\/$/, '')))
}
