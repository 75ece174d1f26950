/** The grant `authorization_code` (RFC 6749, 4.1.3) with PKCE (RFC 7636, 4.5). */
import { continueSession } from '../login/sessions.ts'
import { OAuthError } from '../oauth/errors.ts'
import { required } from '../oauth/parameters.ts'
import { type Challenge, isVerifierOf } from '../oauth/pkce.ts'
import { firstNonEmpty } from '../oauth/scope.ts'
import type { AuthorizationCode } from '../stores/records.ts'
import { type GrantHandler, type GrantRequest, issueUserTokens } from './grant-request.ts'

/** Issues tokens for a user; throws `invalid_grant` for a wrong code, redirect URI or verifier. */
export const authorizationCode: GrantHandler = async request => {
  const { client, resources } = request
  const code = await redeem(required(request.parameters, 'code'), request)
  checkRedirectUri(code, request.parameters.get('redirect_uri'))
  checkVerifier(code.challenge, request.parameters.get('code_verifier'))
  if (code.dpopJkt !== undefined && code.dpopJkt !== request.binding.jkt)
    throw invalidGrant('the code is bound to another key')
  const { login, scope, nonce } = code
  await continueSession(login, request.issuer)
  return issueUserTokens({ client, login, scope, resources: firstNonEmpty(resources, code.resources), nonce }, request)
}

/**
 * An attempt by another client does not consume the code. An attempt by its own client does, even if a later check
 * fails. Of concurrent attempts exactly one succeeds.
 */
async function redeem(text: string, { client, issuer: { stores } }: GrantRequest): Promise<AuthorizationCode> {
  const seen = await stores.codes.peek(text)
  const code = seen?.clientId === client.id ? await stores.codes.take(text) : undefined
  if (code === undefined) throw invalidGrant('the code is unknown, used, expired or was issued to another client')
  return code
}

/** RFC 6749, 4.1.3: the redirect URI must equal that of the authorization request. */
function checkRedirectUri({ redirectUri, isRedirectUriGiven }: AuthorizationCode, presented: string | undefined): void {
  if (presented === undefined ? isRedirectUriGiven : presented !== redirectUri) {
    throw invalidGrant('redirect_uri differs from that of the authorization request')
  }
}

/** Rejects a verifier without a challenge, which prevents PKCE downgrade attacks (RFC 9700, 4.8.2). */
function checkVerifier(challenge: Challenge | null, verifier: string | undefined): void {
  if (challenge === null && verifier !== undefined)
    throw invalidGrant('code_verifier was sent, but the authorization request had no code_challenge')
  if (challenge !== null && (verifier === undefined || !isVerifierOf(challenge, verifier))) {
    throw invalidGrant('code_verifier is missing, malformed or wrong')
  }
}

function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description)
}
