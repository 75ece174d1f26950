/** The path below an upstream: normalization, and the translation of `Location`. */
import { HttpError } from 'svc/plugin'
import type { Upstream } from './config/upstream.ts'
import { proxyStatus } from './proxy-status.ts'

/** The path and query of a request target, as received. */
export function splitTarget(url: string): { path: string; query: string } {
  const origin = /^[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#]{0,2000}/i.exec(url)?.[0].length ?? 0
  const local = url.slice(origin)
  const mark = local.indexOf('?')
  return mark < 0 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) }
}

/** The target of a request below `/proxy/<name>` without these segments, however they are encoded. */
export function belowUpstream(url: string): string {
  const { path, query } = splitTarget(url)
  const below = `/${path.split('/').slice(3).join('/')}`
  return query === '' ? below : `${below}?${query}`
}

function invalidPath(details: string): HttpError {
  return new HttpError(400, { error: 'invalid_path', details }, proxyStatus('http_request_error'))
}

/**
 * Resolves `.` and `..`, plain or encoded, and merges slashes. Backslashes count as slashes. Throws `invalid_path` if the path
 * would leave the path of the target.
 */
export function normalizePath(path: string): string {
  const kept: string[] = []
  const segments = path.replaceAll('\\', '/').split('/').slice(1)
  for (const [index, segment] of segments.entries()) {
    const decoded = decode(segment)
    if (decoded === '.' || decoded === '..' || segment === '') {
      if (decoded === '..' && kept.pop() === undefined) throw invalidPath('the path leaves the path of the target')
      // A trailing slash stays.
      if (index === segments.length - 1 && kept.length > 0) kept.push('')
      continue
    }
    if (/[\0\r\n]/.test(decoded)) throw invalidPath('the path contains a control character')
    // Some servers decode before they resolve dots.
    if (decoded.split(/[/\\]/).includes('..')) throw invalidPath('the path contains encoded dots and slashes')
    kept.push(segment)
  }
  return `/${kept.join('/')}`
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw invalidPath('the percent-encoding of the path is invalid')
  }
}

/** The request target at the upstream. `path` is normalized. */
export function targetPath({ target }: Upstream, path: string, query: string): string {
  const base = target.pathname.replace(/\/$/, '')
  const whole = path === '/' && base !== '' ? base : base + path
  return query === '' ? whole : `${whole}?${query}`
}

/** The same path with one spelling for each percent-encoding, for comparison. */
export function canonicalPath(path: string): string {
  return path
    .split('/')
    .map(segment => encodeURIComponent(decode(segment)))
    .join('/')
}

/**
 * Translates a `Location` below the target to a path below the target, with query and fragment; null for other locations.
 * `requested` is the target of the request at the upstream.
 */
export function locationBelow({ target }: Upstream, requested: string, location: string): string | null {
  const base = new URL(requested, target)
  if (!URL.canParse(location, base)) return null
  const url = new URL(location, base)
  const prefix = target.pathname.replace(/\/$/, '')
  if (url.origin !== target.origin || url.username !== '' || url.password !== '') return null
  if (url.pathname !== prefix && !url.pathname.startsWith(`${prefix}/`)) return null
  return url.pathname.slice(prefix.length) + url.search + url.hash
}
