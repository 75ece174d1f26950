/** What this provider remembers between requests, and how much of it. */
import type { Store, Svc } from 'svc/plugin'
import type { AuthorizationCode } from './grants/authorization-code.ts'
import type { RefreshToken } from './tokens/refresh-tokens.ts'
import type { Client } from './clients/clients.ts'

/** Milliseconds for which a code can be redeemed. */
export const CODE_LIFE_MS = 300_000
/** Milliseconds for which a refresh token lives. */
export const REFRESH_TOKEN_LIFE_MS = 86_400_000
/** Milliseconds after which a registration is forgotten. */
export const REGISTRATION_LIFE_MS = 86_400_000

/** A full store drops the entry nearest its end: of those that live equally long that is the oldest. */
export interface Stores {
  codes: Store<AuthorizationCode>
  refreshTokens: Store<RefreshToken>
  clients: Store<Client>
  /** Digests of revoked token ids. */
  revoked: Store<true>
}

const MIB = 1024 * 1024

/** The stores, smaller in public mode. Counts are for entries of a usual size; the bytes bound what only an attacker sends. */
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
