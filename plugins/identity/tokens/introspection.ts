/** Token introspection (RFC 7662). */
import { type FastifyRequest } from 'svc/plugin'
import { preferredType } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { audienceOf } from '../oauth/resource.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { Client, RefreshToken } from '../stores/records.ts'
import type { TokenClaims, TokenHeader, TokenVerification } from '../types.ts'
import { isOpaqueToken } from './access-tokens.ts'
import { bindingOf } from './confirmation.ts'
import { signToken } from './sign.ts'
import { tokenType } from './token-response.ts'

/** RFC 7662, 2.2: the response for an invalid token has no other members. */
export type Introspection = { active: false } | { active: true; [member: string]: unknown }

/** Claims about the user, from the token or as UserInfo has them. */
const USER_CLAIMS = ['name', 'email', 'groups'] as const
/** Claims that are copied from the token. */
const COPIED_CLAIMS = ['sub', 'aud', 'iss', 'exp', 'nbf', 'iat', 'jti', 'act', 'cnf']

/** The current state of a token of this issuer, issued to any client. */
export async function introspect(
  token: string,
  issuer: Issuer,
  verify: (token: string) => Promise<TokenVerification>,
): Promise<Introspection> {
  const refreshToken = await issuer.stores.refreshTokens.peek(token)
  if (refreshToken !== undefined)
    return refreshToken.isUsed === true ? { active: false } : describeRefreshToken(refreshToken, issuer)
  const opaque = isOpaqueToken(token) ? await issuer.stores.accessTokens.peek(token) : undefined
  if (opaque !== undefined) return describeAccessToken(opaque.claims, issuer)
  const verification = await verify(token)
  return verification.valid ? describeJwt(verification.header, verification.claims, issuer) : { active: false }
}

function describeRefreshToken(
  { clientId, login, scope, resources, issuer: iss, issuedAt, expiresAt }: RefreshToken,
  { settings }: Issuer,
): Introspection {
  const { username } = login.user
  return {
    active: true,
    token_type: 'refresh_token',
    scope: scope.join(' '),
    client_id: clientId,
    sub: username,
    aud: audienceOf(resources, settings.access_token.audience),
    iss,
    exp: expiresAt,
    iat: issuedAt,
    username,
  }
}

function describeJwt(header: TokenHeader, claims: TokenClaims, issuer: Issuer): Introspection {
  const { typ } = issuer.settings.access_token
  const isIdToken = header.alg !== 'HS256' && header.typ !== typ && header.typ !== 'at+jwt'
  return isIdToken ? describeClaims('id_token', claims) : describeAccessToken(claims, issuer)
}

/** Gateways authorize by the groups of the user (RFC 7662, 2.2 allows more members). */
function describeAccessToken(claims: TokenClaims, { users }: Issuer): Introspection {
  const { sub, client_id: client } = claims
  const user = typeof sub === 'string' && sub !== client ? users.find(sub) : undefined
  const known = Object.fromEntries(USER_CLAIMS.map(name => [name, claims[name] ?? user?.[name]]))
  return { ...describeClaims(tokenType(bindingOf(claims)), claims), ...known }
}

function describeClaims(type: string, claims: TokenClaims): Introspection {
  return {
    active: true,
    token_type: type,
    scope: claims.scope,
    client_id: claims.client_id ?? claims.azp,
    ...Object.fromEntries(COPIED_CLAIMS.map(name => [name, claims[name]])),
    username: claims.preferred_username,
  }
}

const TYP = 'token-introspection+jwt'
/** The media type of the response. */
export const INTROSPECTION_MEDIA_TYPE = `application/${TYP}`

/** Whether the request names a JWT and does not prefer JSON. The default issuer has only JSON. */
export function isJwtRequested({ name }: Issuer, { headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? ''
  // A range such as `*/*` does not ask for a JWT.
  if (name === DEFAULT_ISSUER || !accept.toLowerCase().includes(INTROSPECTION_MEDIA_TYPE)) return false
  return preferredType(accept, [INTROSPECTION_MEDIA_TYPE, 'application/json']) === INTROSPECTION_MEDIA_TYPE
}

/** The response for a client, signed by the issuer. */
export async function introspectionJwt(state: object, client: Client, issuer: Issuer, url: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  return signToken({ iss: url, aud: client.id, iat, token_introspection: state }, issuer, { typ: TYP })
}
