/** Checks that issuer and client support the authorization code grant (RFC 6749, 4.1.2.1; RFC 7591, 2.1). */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `unauthorized_client`. */
export const checkGrantType: Check = ({ issuer, client }) => {
  if (!issuer.settings.grants.includes('authorization_code') || !client.grantTypes.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'the client may not use the grant type authorization_code')
}
