/** The redirect URI of an authorization request (RFC 6749, 3.1.2.3 and 3.1.2.4). */
import type { Client } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../requests/parameters.ts'
import { isWebRedirectUri } from '../clients/redirect-uri.ts'

/** The URI given or, when it is left out, the only one registered; throws for a page, so that nothing is sent to a stranger. */
export function checkRedirectUri(parameters: Parameters, client: Client): string {
  const given = parameters.get('redirect_uri')
  if (given === undefined) {
    const [only, ...others] = client.redirectUris ?? []
    if (only === undefined || others.length > 0) throw new OAuthError('invalid_request', 'redirect_uri is missing')
    return only
  }
  if (client.redirectUris === null) {
    if (!isWebRedirectUri(given))
      throw new OAuthError('invalid_request', 'redirect_uri must be an absolute http or https URI without fragment')
  } else if (!client.redirectUris.includes(given)) {
    // As strings (RFC 9700, 2.1): no port, case or slash is forgiven.
    throw new OAuthError('invalid_request', 'redirect_uri is not registered for this client')
  }
  return given
}
