/** The stores of this provider and their limits. */
import type { Store, Svc } from 'svc/plugin'
import type { AuthorizationCode } from './grants/authorization-code.ts'
import type { RefreshToken } from './tokens/refresh-tokens.ts'
import type { Client } from './clients/clients.ts'

/** Lifetime of an authorization code in milliseconds. */
export const CODE_LIFE_MS = 300_000
/** Lifetime of a refresh token in milliseconds. */
export const REFRESH_TOKEN_LIFE_MS = 86_400_000
/** Lifetime of a client registration in milliseconds. */
export const REGISTRATION_LIFE_MS = 86_400_000

/** A full store drops the entry that expires first. */
export interface Stores {
  codes: Store<AuthorizationCode>
  refreshTokens: Store<RefreshToken>
  clients: Store<Client>
  /** Digests of revoked token ids. */
  revoked: Store<true>
}

const MIB = 1024 * 1024

/**
 * Opens the stores, smaller in public mode. The counts suit entries of normal size; `maxBytes` bounds oversized ones.
 */
export function openStores(svc: Svc): Stores {
  const { publicMode } = svc.config
  const tokens = publicMode ? 2_000 : 10_000
  const size = { maxBytes: (publicMode ? 8 : 32) * MIB }
  return {
    codes: svc.state<AuthorizationCode>('codes', { maxCount: tokens, ttlMs: CODE_LIFE_MS, secret: true, ...size }),
    refreshTokens: svc.state<RefreshToken>('refresh-tokens', {
      maxCount: tokens,
      ttlMs: REFRESH_TOKEN_LIFE_MS,
      secret: true,
      ...size,
    }),
    clients: svc.state<Client>('clients', {
      maxCount: publicMode ? 200 : 1_000,
      ttlMs: REGISTRATION_LIFE_MS,
      secret: true,
      ...size,
    }),
    revoked: svc.state('revoked', { maxCount: tokens, evict: 'expiring' }),
  }
}
