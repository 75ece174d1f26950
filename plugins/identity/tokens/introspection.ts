/** Token introspection (RFC 7662). */
import { audienceOf } from '../requests/resource.ts'
import type { RefreshToken } from './refresh-tokens.ts'
import type { Stores } from '../stores.ts'
import type { TokenClaims, TokenHeader, Tokens } from '../types.ts'

/** RFC 7662, 2.2: the response for an invalid token has no other members. */
export type Introspection = { active: false } | { active: true; [member: string]: unknown }

/** Claims that are copied from the token. */
const COPIED_CLAIMS = ['sub', 'aud', 'iss', 'exp', 'nbf', 'iat', 'jti', 'act']

/** The current state of a token of this server, issued to any client. */
export async function introspect(token: string, { refreshTokens }: Stores, tokens: Tokens): Promise<Introspection> {
  const refreshToken = await refreshTokens.peek(token)
  if (refreshToken !== undefined) return describeRefreshToken(refreshToken)
  const verification = await tokens.verify(token, { refuseRevoked: true })
  return verification.valid ? describeJwt(verification.header, verification.claims) : { active: false }
}

function describeRefreshToken({
  clientId,
  login,
  scope,
  resources,
  issuer,
  issuedAt,
  expiresAt,
}: RefreshToken): Introspection {
  const { username } = login.user
  return {
    active: true,
    token_type: 'refresh_token',
    scope: scope.join(' '),
    client_id: clientId,
    sub: username,
    aud: audienceOf(resources),
    iss: issuer,
    exp: expiresAt,
    iat: issuedAt,
    username,
  }
}

function describeJwt(header: TokenHeader, claims: TokenClaims): Introspection {
  const isIdToken = header.alg === 'RS256' && header.typ !== 'at+jwt'
  return {
    active: true,
    token_type: isIdToken ? 'id_token' : 'Bearer',
    scope: claims.scope,
    client_id: claims.client_id ?? claims.azp,
    ...Object.fromEntries(COPIED_CLAIMS.map(name => [name, claims[name]])),
    username: claims.preferred_username,
  }
}
