/** Refresh tokens (RFC 6749, 6): opaque and, unless the issuer says otherwise, replaced at each use. */
import { randomBytes } from 'node:crypto'
import { isBound } from '../binding/binding.ts'
import type { Binding } from '../binding/binding.ts'
import { isPublic } from '../clients/clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Login } from '../login/login.ts'
import type { Grant, TokenIssuer } from './token-response.ts'

/** The data stored with a refresh token. */
export interface RefreshToken {
  clientId: string
  login: Login
  /** The originally granted scope: a narrower access token does not narrow the next one. */
  scope: readonly string[]
  resources: readonly string[]
  issuer: string
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
  /** The key or certificate with which a public client must refresh. */
  binding?: Binding
  /** All tokens that follow from one login have the same; absent where reuse revokes nothing. */
  family?: string
  /** The token was replaced and is kept only to detect its reuse. */
  isUsed?: true
}

/** Issues a refresh token for a user's grant; undefined if the client may not use refresh tokens. */
export async function issueRefreshToken(
  { client, login, scope, resources }: Grant,
  { issuer, url, binding }: TokenIssuer,
  family?: string,
): Promise<string | undefined> {
  const isAllowed = client.grantTypes.includes('refresh_token') && issuer.settings.grants.includes('refresh_token')
  if (login === null || !isAllowed) return undefined
  const { ttl, reuse } = issuer.settings.refresh_token
  const token = `rt_${randomBytes(32).toString('base64url')}`
  const issuedAt = Math.floor(Date.now() / 1000)
  await issuer.stores.refreshTokens.set(
    token,
    {
      clientId: client.id,
      login,
      scope,
      resources,
      issuer: url,
      issuedAt,
      expiresAt: issuedAt + ttl,
      ...(isPublic(client) && isBound(binding) && { binding }),
      ...(reuse === 'revoke-family' && { family: family ?? randomBytes(16).toString('base64url') }),
    },
    { ttlMs: ttl * 1000 },
  )
  return token
}

/** Takes a token out of use. A second use then revokes its family, if the issuer wants that. */
export async function consumeRefreshToken(
  token: string,
  { settings, stores }: Issuer,
): Promise<RefreshToken | undefined> {
  if (!settings.refresh_token.rotate) return stores.refreshTokens.peek(token)
  const record = await stores.refreshTokens.take(token)
  if (record?.family !== undefined)
    await stores.refreshTokens.set(
      token,
      { ...record, isUsed: true },
      { ttlMs: Math.max(record.expiresAt * 1000 - Date.now(), 1) },
    )
  return record
}

/** Revokes all tokens of a family (RFC 9700, 4.14.2). */
export async function revokeFamily(family: string, { stores }: Issuer): Promise<void> {
  await stores.refreshTokens.clear(record => record.family === family)
}
