/** The tokens that were revoked (RFC 7009), by their `jti`. */
import { createHash } from 'node:crypto'
import type { Store } from 'svc/plugin'
import type { TokenClaims } from '../types.ts'

/** A token is remembered for so long after its end: clocks differ. */
const AFTER_EXPIRY_MS = 60_000
/** A token by the demo secret may claim to live for ever; whoever revokes one keeps it no longer than ten years. */
const MAX_LIFE_MS = 10 * 365 * 86_400_000

/** What is revoked; a token without a `jti` can't be. */
export interface Revocations {
  add(claims: TokenClaims): Promise<void>
  has(claims: TokenClaims): Promise<boolean>
}

/** Revocations in a store; a `jti` of any length takes the same room there. */
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
