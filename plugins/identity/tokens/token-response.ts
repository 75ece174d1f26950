/** Access tokens (RFC 9068), ID tokens (OpenID Connect Core, 2) and the token response (RFC 6749, 5.1). */
import { createHash, randomUUID } from 'node:crypto'
import type { Client } from '../clients/clients.ts'
import { audienceOf } from '../requests/resource.ts'
import type { TokenClaims, Tokens } from '../types.ts'
import type { User } from '../users/users.ts'

/** Lifetime of access and ID tokens in seconds. */
export const ACCESS_TOKEN_LIFE_S = 3600

/** The basis for issuing tokens. */
export interface Grant {
  client: Client
  /** The user's login; null if the client acts for itself. */
  login: Login | null
  scope: readonly string[]
  resources: readonly string[]
  /** For the ID token (OpenID Connect Core, 3.1.2.1). */
  nonce?: string
}

/** A login; `authTime` is in seconds since 1970. */
export interface Login {
  user: User
  authTime: number
}

/** The response of the token endpoint. */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer' | 'N_A'
  expires_in: number
  scope: string
  id_token?: string
  refresh_token?: string
  issued_token_type?: string
}

/** Issues an access token and, for a user's grant with the scope `openid`, an ID token. */
export async function issueTokens(grant: Grant, issuer: string, tokens: Tokens): Promise<TokenResponse> {
  const accessToken = await tokens.sign(accessTokenClaims(grant, issuer), { typ: 'at+jwt' })
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFE_S,
    scope: grant.scope.join(' '),
  }
  if (grant.login !== null && grant.scope.includes('openid')) {
    response.id_token = await tokens.sign(idTokenClaims(grant, grant.login, issuer, accessToken))
  }
  return response
}

/** The claims that every token of this provider has (RFC 7519, 4.1). */
export function registeredClaims(issuer: string, subject: string, audience: string | string[]): TokenClaims {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, sub: subject, aud: audience, exp: now + ACCESS_TOKEN_LIFE_S, iat: now, jti: randomUUID() }
}

/** RFC 9068, 2.2. */
function accessTokenClaims({ client, login, scope, resources }: Grant, issuer: string): TokenClaims {
  const claims = {
    ...registeredClaims(issuer, login?.user.username ?? client.id, audienceOf(resources)),
    client_id: client.id,
    scope: scope.join(' '),
  }
  if (login === null) return claims
  const { user, authTime } = login
  return {
    ...claims,
    name: user.name,
    email: user.email,
    preferred_username: user.username,
    groups: user.groups,
    auth_time: authTime,
  }
}

/** OpenID Connect Core, 2 and 3.1.3.6. */
function idTokenClaims(
  { client, scope, nonce }: Grant,
  { user, authTime }: Login,
  issuer: string,
  accessToken: string,
): TokenClaims {
  return {
    ...registeredClaims(issuer, user.username, client.id),
    azp: client.id,
    auth_time: authTime,
    nonce,
    at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
    preferred_username: user.username,
    groups: user.groups,
    ...profileClaims(user, scope),
  }
}

/** The claims of the scopes `profile` and `email` (OpenID Connect Core, 5.4). */
export function profileClaims(user: User, scope: readonly string[]): TokenClaims {
  return {
    ...(scope.includes('profile') && { name: user.name }),
    ...(scope.includes('email') && { email: user.email, email_verified: true }),
  }
}
