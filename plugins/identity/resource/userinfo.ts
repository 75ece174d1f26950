/** UserInfo (OpenID Connect Core, 5.3): the claims about the subject of an access token. */
import { type FastifyRequest, type Svc } from 'svc/plugin'
import { shownText } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { OAuthError } from '../oauth/errors.ts'
import type { Parameters } from '../oauth/parameters.ts'
import { isOpaqueToken } from '../tokens/access-tokens.ts'
import { bindingOf } from '../tokens/confirmation.ts'
import { profileClaims, userClaims } from '../tokens/token-response.ts'
import type { PresentedToken, TokenClaims, TokenReason, TokenVerification } from '../types.ts'
import { challengeFor, checkBinding, presentedToken } from './presented-token.ts'

const CHALLENGE = 'Bearer realm="svc"'

/** The claims for the token in the header or the form (RFC 6750, 2.1 and 2.2); throws an error with a challenge. */
export async function userInfo(
  request: FastifyRequest,
  form: Parameters | null,
  issuer: Issuer,
  verify: (token: string) => Promise<TokenVerification>,
  svc: Pick<Svc, 'http' | 'pki'>,
): Promise<TokenClaims> {
  const presented = readToken(request.headers.authorization, form)
  const { token } = presented
  const opaque = isOpaqueToken(token) ? await issuer.stores.accessTokens.peek(token) : undefined
  const verification = opaque === undefined ? await verify(token) : { valid: true as const, claims: opaque.claims }
  if (!verification.valid) throw bearerError('invalid_token', describeReason(verification.reason))
  const checked = await checkBinding(verification.claims, presented, request, issuer, svc)
  if ('error' in checked) {
    const isDpop = presented.scheme === 'dpop' || bindingOf(verification.claims).jkt !== undefined
    throw new OAuthError('invalid_token', checked.reason, {
      headers: { 'WWW-Authenticate': challengeFor(isDpop, checked) },
    })
  }
  const { sub, scope } = verification.claims
  const scopes = typeof scope === 'string' ? scope.split(' ') : []
  if (!scopes.includes('openid'))
    throw bearerError('insufficient_scope', 'the token needs the scope openid', ', scope="openid"')
  const user = issuer.users.find(shownText(sub))
  if (user === undefined) return { sub }
  return {
    sub,
    preferred_username: user.username,
    groups: user.groups,
    ...profileClaims(user, scopes),
    ...userClaims(user),
  }
}

/** Other token types have always been reported like this here. */
function describeReason(reason: TokenReason): string {
  return reason === 'wrong type' ? 'invalid token' : reason
}

function readToken(authorization: string | undefined, form: Parameters | null): PresentedToken {
  const inHeader = presentedToken(authorization)
  const inForm = form?.get('access_token')
  if (inHeader !== null && inForm !== undefined)
    throw bearerError('invalid_request', 'send the token in the Authorization header or as access_token, not both')
  const token = inHeader ?? (inForm === undefined ? undefined : { scheme: 'bearer' as const, token: inForm })
  // RFC 6750, 3.1: without credentials in the request, the challenge has no `error`.
  if (token === undefined)
    throw new OAuthError('invalid_request', 'the request has no access token', {
      status: 401,
      headers: { 'WWW-Authenticate': CHALLENGE },
    })
  return token
}

function bearerError(
  error: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  more = '',
): OAuthError {
  return new OAuthError(error, description, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="${error}", error_description="${description}"${more}` },
  })
}
