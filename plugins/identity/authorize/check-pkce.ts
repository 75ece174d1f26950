/** Checks the code challenge (RFC 7636, 4.3 and 4.4.1), which public clients must send. */
import { isPublic } from '../accounts/clients.ts'
import { OAuthError } from '../oauth/errors.ts'
import { findChallengeMethod, isPkceValue } from '../oauth/pkce.ts'
import type { Check } from './authorization-request.ts'

/**
 * Throws `invalid_request` for a malformed challenge or method, a method without a challenge, or a public client
 * without one.
 */
export const checkPkce: Check = request => {
  const { parameters, client, issuer } = request
  const { require } = issuer.settings
  const value = parameters.get('code_challenge')
  const method = findChallengeMethod(parameters.get('code_challenge_method'))
  if (method === null) throw new OAuthError('invalid_request', 'code_challenge_method must be S256 or plain')
  if (value === undefined) {
    if (parameters.has('code_challenge_method'))
      throw new OAuthError('invalid_request', 'code_challenge_method requires code_challenge')
    if (isPublic(client)) throw new OAuthError('invalid_request', 'code_challenge is required for public clients')
    if (require.includes('pkce') || require.includes('s256'))
      throw new OAuthError('invalid_request', 'this issuer requires code_challenge')
    return
  }
  if (method !== 'S256' && require.includes('s256'))
    throw new OAuthError('invalid_request', 'this issuer requires the code_challenge_method S256')
  if (!isPkceValue(value))
    throw new OAuthError('invalid_request', 'code_challenge must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~')
  request.challenge = { value, method }
}
