/** Owns which addresses `/redirect-to` leads to: only those of the instance itself, so that nobody can phish with it. */

/** Blanks and controls, which browsers drop, and the backslash, which they take for a slash (WHATWG URL, 4.4). */
const TREACHEROUS = /[\s\p{Cc}\\]/u
/** The same, for a client that decodes once more. */
const TREACHEROUS_ENCODED = /%(?:[01][\da-f]|7f|5c)/i

/**
 * Why a target is refused, or null when it is a path of this instance or an http(s) URL whose authority is the `Host`
 * of the request, letter by letter.
 */
export function whyRefused(target: string, host: string): string | null {
  if (target === '') return 'the url parameter is missing'
  if (TREACHEROUS.test(target) || TREACHEROUS_ENCODED.test(target))
    return 'the url contains a space, a control character or a backslash'
  if (target.startsWith('/')) return target.startsWith('//') ? 'the url points to another host' : null
  const [, scheme, authority] = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)/i.exec(target) ?? []
  if (scheme === undefined || authority === undefined)
    return 'the url must be a path that starts with /, or an http(s) URL of this host'
  if (!/^https?$/i.test(scheme)) return 'the scheme must be http or https'
  if (authority.includes('@')) return 'the url must not contain credentials'
  return authority !== '' && authority.toLowerCase() === host.toLowerCase()
    ? null
    : 'the url points to another host or port'
}

/** A target as a header can carry it: what is beyond ASCII percent-encoded as UTF-8 (RFC 3987, 3.1). */
export function toLocation(target: string): string {
  return target.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}
