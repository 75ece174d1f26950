/** The `state` of an authorization request (RFC 6749, 4.1.1): sent back as it came. */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

const MAX_CHARACTERS = 2048

/** Throws `invalid_request` for one that is too long, which is then not sent back. */
export const checkState: Check = request => {
  const state = request.parameters.get('state')
  if (state !== undefined && state.length > MAX_CHARACTERS)
    throw new OAuthError('invalid_request', `state has at most ${MAX_CHARACTERS} characters`)
  request.state = state
}
