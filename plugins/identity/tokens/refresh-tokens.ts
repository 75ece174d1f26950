/** Refresh tokens (RFC 6749, 6): opaque, single-use, replaced at each use. */
import { randomBytes } from 'node:crypto'
import type { Store } from 'svc/plugin'
import { REFRESH_TOKEN_LIFE_MS } from '../stores.ts'
import type { Grant, Login } from './token-response.ts'

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
}

/** Issues a refresh token for a user's grant; undefined if the client may not use refresh tokens. */
export async function issueRefreshToken(
  { client, login, scope, resources }: Grant,
  issuer: string,
  store: Store<RefreshToken>,
): Promise<string | undefined> {
  if (login === null || !client.grantTypes.includes('refresh_token')) return undefined
  const token = `rt_${randomBytes(32).toString('base64url')}`
  const issuedAt = Math.floor(Date.now() / 1000)
  await store.set(token, {
    clientId: client.id,
    login,
    scope,
    resources,
    issuer,
    issuedAt,
    expiresAt: issuedAt + REFRESH_TOKEN_LIFE_MS / 1000,
  })
  return token
}
