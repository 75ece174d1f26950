/** Checks the `state` of an authorization request (RFC 6749, 4.1.1), which is returned unchanged. */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

const MAX_CHARACTERS = 2048

/** Throws `invalid_request` if it is too long; it is not returned then. */
export const checkState: Check = request => {
  const state = request.parameters.get('state')
  if (state !== undefined && state.length > MAX_CHARACTERS)
    throw new OAuthError('invalid_request', `state must have at most ${MAX_CHARACTERS} characters`)
  request.state = state
}
