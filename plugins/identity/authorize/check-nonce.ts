/** Checks the `nonce` of an authorization request (OpenID Connect Core, 3.1.2.1). */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

const MAX_CHARACTERS = 512

/** Throws `invalid_request` if it is too long. */
export const checkNonce: Check = request => {
  const nonce = request.parameters.get('nonce')
  if (nonce !== undefined && nonce.length > MAX_CHARACTERS)
    throw new OAuthError('invalid_request', `nonce must have at most ${MAX_CHARACTERS} characters`)
  request.nonce = nonce
}
