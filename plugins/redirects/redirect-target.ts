/** Validates targets of `/redirect-to`. Only targets within the instance are allowed, so it cannot be used for phishing. */

/** Spaces and control characters, which browsers remove, and backslashes, which they treat as slashes (WHATWG URL, 4.4). */
const UNSAFE = /[\s\p{Cc}\\]/u
/** The same percent-encoded, for clients that decode twice. */
const UNSAFE_ENCODED = /%(?:[01][\da-f]|7f|5c)/i

/**
 * Returns why a target is rejected, or null if it is allowed: a path of this instance, or an http(s) URL with exactly the
 * `Host` of the request as its authority.
 */
export function rejectionReason(target: string, host: string): string | null {
  if (target === '') return 'the url parameter is missing'
  if (UNSAFE.test(target) || UNSAFE_ENCODED.test(target))
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

/** A target as a header value: non-ASCII characters are percent-encoded as UTF-8 (RFC 3987, 3.1). */
export function toLocation(target: string): string {
  return target.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}
