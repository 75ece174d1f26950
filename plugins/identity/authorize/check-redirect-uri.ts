/** Checks the redirect URI of an authorization request (RFC 6749, 3.1.2.3 and 3.1.2.4). */
import { OAuthError } from '../oauth/errors.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { isWebRedirectUri } from '../oauth/redirect-uri.ts'
import type { Client } from '../stores/records.ts'

/**
 * The given URI, or the only registered one. Throws errors that are shown on a page and not sent to an unverified URI.
 */
export function checkRedirectUri(parameters: Parameters, client: Client): string {
  const given = parameters.get('redirect_uri')
  if (given === undefined) {
    const [only, ...others] = client.redirectUris ?? []
    if (only === undefined || others.length > 0) throw new OAuthError('invalid_request', 'redirect_uri is missing')
    return only
  }
  if (client.redirectUris === null) {
    if (!isWebRedirectUri(given))
      throw new OAuthError('invalid_request', 'redirect_uri must be an absolute http or https URI without a fragment')
  } else if (!client.redirectUris.some(known => isSameUri(given, known, client))) {
    throw new OAuthError('invalid_request', 'redirect_uri is not registered for this client')
  }
  return given
}

/** Compared as strings (RFC 9700, 2.1): case and trailing slash must match, and the port except at a loopback address. */
function isSameUri(given: string, known: string, { hasAnyLoopbackPort = false }: Client): boolean {
  if (given === known) return true
  const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=\/|$)/i
  return hasAnyLoopbackPort && loopback.test(given) && given.replace(loopback, '$1') === known.replace(loopback, '$1')
}
