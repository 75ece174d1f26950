/** Access tokens (RFC 9068), ID tokens (OpenID Connect Core, 2) and the token response (RFC 6749, 5.1). */
import { createHash, randomUUID } from 'node:crypto'
import type { Issuer } from '../issuers/issuer.ts'
import { authenticationClaims } from '../login/login.ts'
import { audienceOf } from '../oauth/resource.ts'
import { fillClaims } from '../settings/claim-templates.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { Binding, Client, Login, User } from '../stores/records.ts'
import type { TokenClaims } from '../types.ts'
import { issueOpaqueToken } from './access-tokens.ts'
import { isBound } from './confirmation.ts'
import { signToken } from './sign.ts'

/** The basis for issuing tokens. */
export interface Grant {
  client: Client
  /** The user's login; null if the client acts for itself. */
  login: Login | null
  /** The subject, if neither a user nor the client is. */
  subject?: string
  /** No ID token is issued. */
  isAccessOnly?: boolean
  scope: readonly string[]
  resources: readonly string[]
  /** For the ID token (OpenID Connect Core, 3.1.2.1). */
  nonce?: string
}

/** The issuer of a token and its identifier for the request. */
export interface TokenIssuer {
  issuer: Issuer
  url: string
  /** To what access tokens are bound. */
  binding: Binding
}

/** The response of the token endpoint. */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer' | 'DPoP' | 'N_A'
  expires_in: number
  scope: string
  id_token?: string
  refresh_token?: string
  issued_token_type?: string
}

/** Issues an access token and, for a user's grant with the scope `openid`, an ID token. */
export async function issueTokens(grant: Grant, { issuer, url, binding }: TokenIssuer): Promise<TokenResponse> {
  const { access_token: settings } = issuer.settings
  const accessToken = await issueAccessToken(
    { ...accessTokenClaims(grant, issuer, url), ...confirmation(binding) },
    issuer,
  )
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: tokenType(binding),
    expires_in: settings.ttl,
    scope: grant.scope.join(' '),
  }
  if (grant.login !== null && grant.isAccessOnly !== true && grant.scope.includes('openid'))
    response.id_token = await issueIdToken(grant, grant.login, issuer, url, accessToken)
  return response
}

/** The claim `cnf` of a bound token (RFC 7800, 3.1). */
export function confirmation(binding: Binding): TokenClaims {
  return isBound(binding) ? { cnf: { ...binding } } : {}
}

/** How a client presents a token (RFC 9449, 5). */
export function tokenType({ jkt }: Binding): 'Bearer' | 'DPoP' {
  return jkt === undefined ? 'Bearer' : 'DPoP'
}

/** An access token in the format of the issuer. */
export async function issueAccessToken(claims: TokenClaims, issuer: Issuer): Promise<string> {
  const { format, ttl, typ } = issuer.settings.access_token
  return format === 'opaque'
    ? issueOpaqueToken(claims, ttl, issuer.stores.accessTokens)
    : signToken(claims, issuer, { typ })
}

/** The claims that every token of this provider has (RFC 7519, 4.1). `lifeS` is its lifetime in seconds. */
export function registeredClaims(
  issuer: string,
  subject: string,
  audience: string | string[],
  lifeS: number,
): TokenClaims {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, sub: subject, aud: audience, exp: now + lifeS, iat: now, jti: randomUUID() }
}

/** RFC 9068, 2.2. */
function accessTokenClaims(
  { client, login, subject, scope, resources }: Grant,
  issuer: Issuer,
  url: string,
): TokenClaims {
  const { ttl, audience, claims: more } = issuer.settings.access_token
  const facts = { user: login?.user ?? null, clientId: client.id, scope: scope.join(' '), issuer: url }
  const claims = {
    ...registeredClaims(url, login?.user.username ?? subject ?? client.id, audienceOf(resources, audience), ttl),
    client_id: client.id,
    scope: facts.scope,
  }
  if (login === null) return { ...claims, ...fillClaims(more, facts) }
  const { user, authTime } = login
  return {
    ...claims,
    name: user.name,
    email: user.email,
    preferred_username: user.username,
    groups: user.groups,
    auth_time: authTime,
    ...userClaims(user),
    ...fillClaims(more, facts),
  }
}

/** OpenID Connect Core, 2 and 3.1.3.6. */
async function issueIdToken(
  { client, scope, nonce }: Grant,
  login: Login,
  issuer: Issuer,
  url: string,
  accessToken: string,
): Promise<string> {
  const { user, authTime } = login
  const { ttl, claims: more } = issuer.settings.id_token
  const algorithm = await issuer.keys.idTokenAlgorithm(client.idTokenAlg)
  const facts = { user, clientId: client.id, scope: scope.join(' '), issuer: url }
  const claims = {
    ...registeredClaims(url, user.username, client.id, ttl),
    azp: client.id,
    auth_time: authTime,
    ...(hasAuthenticationClaims(login, issuer) && authenticationClaims(login)),
    nonce,
    at_hash: leftHalf(accessToken, algorithm),
    preferred_username: user.username,
    groups: user.groups,
    ...profileClaims(user, scope),
    ...userClaims(user),
    ...fillClaims(more, facts),
  }
  return signToken(claims, issuer, { algorithm })
}

/** The default issuer never had these claims; there, only a login with a one-time code gets them. */
function hasAuthenticationClaims({ isMfa }: Login, { name }: Issuer): boolean {
  return isMfa === true || name !== DEFAULT_ISSUER
}

/** The left half of the hash that belongs to a signature algorithm (OpenID Connect Core, 3.1.3.6). */
function leftHalf(text: string, algorithm: string): string {
  // Ed25519 uses SHA-512 (RFC 8032, 5.1).
  const bits = algorithm === 'EdDSA' ? 512 : Number(algorithm.slice(2))
  return createHash(`sha${bits}`)
    .update(text)
    .digest()
    .subarray(0, bits / 16)
    .toString('base64url')
}

/** The claims of the scopes `profile` and `email` (OpenID Connect Core, 5.4). */
export function profileClaims(user: User, scope: readonly string[]): TokenClaims {
  return {
    ...(scope.includes('profile') && { name: user.name }),
    ...(scope.includes('email') && { email: user.email, email_verified: true }),
  }
}

/** Roles and additional claims of a user, which demo users do not have. */
export function userClaims({ roles, claims }: User): TokenClaims {
  return { ...(roles !== undefined && { roles }), ...claims }
}
