/** Checks that a request came as the issuer or the client requires (RFC 9126, 4; RFC 9101, 10.5). */
import { isRequired } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_request`. */
export const checkRequired: Check = ({ issuer, client, received }) => {
  if (isRequired('par', issuer, client) && !received.isPushed)
    throw new OAuthError('invalid_request', 'the request must be pushed')
  if (isRequired('jar', issuer, client) && !received.isSigned)
    throw new OAuthError('invalid_request', 'the request must be a signed request object')
}
