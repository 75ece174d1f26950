/** UserInfo (OpenID Connect Core, 5.3): the claims of whoever an access token is about. */
import { readBearerToken, shownText } from 'svc/plugin'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../requests/parameters.ts'
import { profileClaims } from '../tokens/token-response.ts'
import type { TokenClaims, Tokens } from '../types.ts'
import { findUser } from './users.ts'

const CHALLENGE = 'Bearer realm="svc"'

/** The claims for the token of the header or the form (RFC 6750, 2.1 and 2.2); throws with a challenge. */
export async function userInfo(
  authorization: string | undefined,
  form: Parameters | null,
  tokens: Tokens,
): Promise<TokenClaims> {
  const verification = await tokens.verify(readToken(authorization, form), {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    refuseRevoked: true,
  })
  if (!verification.valid) throw challenged('invalid_token', verification.reason)
  const { sub, scope } = verification.claims
  const scopes = typeof scope === 'string' ? scope.split(' ') : []
  if (!scopes.includes('openid'))
    throw challenged('insufficient_scope', 'the scope openid is needed', ', scope="openid"')
  const user = findUser(shownText(sub))
  if (user === undefined) return { sub }
  return { sub, preferred_username: user.username, groups: user.groups, ...profileClaims(user, scopes) }
}

function readToken(authorization: string | undefined, form: Parameters | null): string {
  const inHeader = readBearerToken(authorization)
  const inForm = form?.get('access_token')
  if (inHeader !== null && inForm !== undefined)
    throw challenged('invalid_request', 'use either the header or access_token, not both')
  const token = inHeader ?? inForm
  // RFC 6750, 3.1: the challenge to a request without credentials names no error.
  if (token === undefined)
    throw new OAuthError('invalid_request', 'no access token', {
      status: 401,
      headers: { 'WWW-Authenticate': CHALLENGE },
    })
  return token
}

function challenged(
  error: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  more = '',
): OAuthError {
  return new OAuthError(error, description, {
    headers: { 'WWW-Authenticate': `${CHALLENGE}, error="${error}", error_description="${description}"${more}` },
  })
}
