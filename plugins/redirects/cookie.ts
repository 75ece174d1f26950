/** Creates `Set-Cookie` lines (RFC 6265) from a query. */
import { isToken } from 'svc/toolkit'
import { invalidCookieAttribute, invalidCookieName, tooManyCookies } from './errors.ts'

const MAX_COOKIES = 20
/** Characters that are not cookie-octets (RFC 6265, 4.1.1), and `%`, so that decoding restores the value. */
const NO_COOKIE_OCTET = /[^!#$&-+\--:<-[\]-~]+/gu

export interface CookieAttributes {
  path: string
  domain: string | null
  /** Seconds in digits, with an optional minus sign. */
  maxAge: string | null
  secure: boolean
  httpOnly: boolean
  sameSite: 'Strict' | 'Lax' | 'None' | null
}

/** Query parameters that set attributes; any other parameter is a cookie. */
const ATTRIBUTES = new Set(['_path', '_domain', '_secure', '_httponly', '_samesite', '_maxage'])
const SAME_SITE = new Map([
  ['strict', 'Strict'],
  ['lax', 'Lax'],
  ['none', 'None'],
] as const)

/** Names and values of the cookies in a query: parameters that are not attributes, the first of each name. At most 20. */
export function cookiesIn(query: URLSearchParams): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const [name, value] of query) {
    if (ATTRIBUTES.has(name) || cookies.has(name)) continue
    cookies.set(name, value)
  }
  if (cookies.size > MAX_COOKIES) throw tooManyCookies(cookies.size, MAX_COOKIES)
  for (const name of cookies.keys()) checkName(name)
  return cookies
}

/** Throws `invalid_cookie_name` if the name is not a token (RFC 6265, 4.1.1). */
export function checkName(name: string): void {
  if (!isToken(name)) throw invalidCookieName(name)
}

/** Value of `_path`; default `/`. */
export function readPath(query: URLSearchParams): string {
  return (
    checked(query, '_path', /^\/[\x21-\x3a\x3c-\x7e]*$/, 'a path that starts with / and has no semicolons or spaces') ??
    '/'
  )
}

/** Value of `_domain`, or null. */
export function readDomain(query: URLSearchParams): string | null {
  return checked(query, '_domain', /^[A-Za-z\d.-]+$/, 'letters, digits, dots and hyphens')
}

/** All attributes of a query; `isSet` returns whether a flag is set. Throws `invalid_cookie_attribute`. */
export function readAttributes(query: URLSearchParams, isSet: (flag: string) => boolean): CookieAttributes {
  const sameSiteText = query.get('_samesite')
  const sameSite = sameSiteText === null ? null : SAME_SITE.get(sameSiteText.toLowerCase() as 'strict')
  if (sameSite === undefined) throw invalidCookieAttribute('_samesite', sameSiteText!, 'Strict, Lax or None')
  return {
    path: readPath(query),
    domain: readDomain(query),
    maxAge: checked(query, '_maxage', /^-?\d{1,10}$/, 'whole seconds'),
    // Browsers drop a cookie with SameSite=None that is not Secure.
    secure: isSet('_secure') || sameSite === 'None',
    httpOnly: isSet('_httponly'),
    sameSite,
  }
}

function checked(query: URLSearchParams, name: string, form: RegExp, expected: string): string | null {
  const value = query.get(name)
  if (value !== null && !form.test(value)) throw invalidCookieAttribute(name, value, expected)
  return value
}

/** A `Set-Cookie` line; characters that are not allowed in a value are percent-encoded. */
export function formatCookie(name: string, value: string, attributes: CookieAttributes): string {
  const { path, domain, maxAge, secure, httpOnly, sameSite } = attributes
  let line = `${name}=${value.replace(NO_COOKIE_OCTET, encodeURIComponent)}; Path=${path}`
  if (domain !== null) line += `; Domain=${domain}`
  if (maxAge !== null) line += `; Max-Age=${maxAge}`
  if (secure) line += '; Secure'
  if (httpOnly) line += '; HttpOnly'
  if (sameSite !== null) line += `; SameSite=${sameSite}`
  return line
}

/** The `Set-Cookie` line that deletes a cookie; path and domain must match those it was set with. */
export function formatDeletion(name: string, path: string, domain: string | null): string {
  return `${name}=; Path=${path}${domain === null ? '' : `; Domain=${domain}`}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`
}
