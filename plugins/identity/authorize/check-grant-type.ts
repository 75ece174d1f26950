/** Whether the client may use the code that it asks for (RFC 6749, 4.1.2.1; RFC 7591, 2.1). */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `unauthorized_client`. */
export const checkGrantType: Check = ({ client }) => {
  if (!client.grantTypes.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'the client may not use authorization_code')
}
