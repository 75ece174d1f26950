/** Refresh tokens (RFC 6749, 6): opaque and, unless the issuer says otherwise, replaced at each use. */
import { randomBytes } from 'node:crypto'
import { isPublic } from '../accounts/clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { RefreshToken } from '../stores/records.ts'
import { isBound } from './confirmation.ts'
import type { Grant, TokenIssuer } from './token-response.ts'

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
