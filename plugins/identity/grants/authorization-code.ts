/** The grant `authorization_code` (RFC 6749, 4.1.3) with PKCE (RFC 7636, 4.5). */
import { OAuthError } from '../errors.ts'
import { continueSession } from '../login/sessions.ts'
import { required } from '../requests/parameters.ts'
import { isVerifierOf } from '../requests/pkce.ts'
import type { Challenge } from '../requests/pkce.ts'
import type { Login } from '../login/login.ts'
import { firstNonEmpty, issueUserTokens } from './grant-request.ts'
import type { GrantHandler, GrantRequest } from './grant-request.ts'

/** The data stored with an authorization code. */
export interface AuthorizationCode {
  clientId: string
  redirectUri: string
  /** Whether the authorization request contained the redirect URI; if so, the token request must contain it, too. */
  isRedirectUriGiven: boolean
  login: Login
  scope: readonly string[]
  resources: readonly string[]
  nonce: string | undefined
  challenge: Challenge | null
  /** Thumbprint of the key that must redeem the code (RFC 9449, 10). */
  dpopJkt?: string
}

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
