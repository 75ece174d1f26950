/** Revoked tokens (RFC 7009), by `jti`. */
import { createHash } from 'node:crypto'
import type { Store } from 'svc/plugin'
import type { TokenClaims } from '../types.ts'

/** How long a revocation is kept after the token expires, because clocks differ. */
const AFTER_EXPIRY_MS = 60_000
/** Maximum lifetime of a revocation: tokens signed with the demo secret can have any expiry time. */
const MAX_LIFE_MS = 10 * 365 * 86_400_000

/** The set of revoked tokens. A token without a `jti` can't be revoked. */
export interface Revocations {
  add(claims: TokenClaims): Promise<void>
  has(claims: TokenClaims): Promise<boolean>
}

/** Revocations in a store. The keys are digests, so that the length of a `jti` does not matter. */
export function createRevocations(store: Store<true>): Revocations {
  return {
    async add({ jti, exp }) {
      if (typeof jti !== 'string' || typeof exp !== 'number') return
      const ttlMs = Math.min(exp * 1000 + AFTER_EXPIRY_MS - Date.now(), MAX_LIFE_MS)
      await store.set(keyOf(jti), true, { ttlMs })
    },
    has: async ({ jti }) => typeof jti === 'string' && (await store.peek(keyOf(jti))) !== undefined,
  }
}

function keyOf(jti: string): string {
  return createHash('sha256').update(jti).digest('base64url')
}
