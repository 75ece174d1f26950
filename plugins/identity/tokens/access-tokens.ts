/** Access tokens that are not JWTs: random text, known only to their issuer. */
import { randomBytes } from 'node:crypto'
import type { Store } from 'svc/plugin'
import type { OpaqueToken } from '../stores/records.ts'
import type { TokenClaims } from '../types.ts'

const OPAQUE_TOKEN = /^at_[A-Za-z0-9_-]{43}$/

/** Whether a text can be an access token that is not a JWT. */
export function isOpaqueToken(token: string): boolean {
  return OPAQUE_TOKEN.test(token)
}

/** Stores the claims and returns the token for them. */
export async function issueOpaqueToken(claims: TokenClaims, lifeS: number, store: Store<OpaqueToken>): Promise<string> {
  const token = `at_${randomBytes(32).toString('base64url')}`
  await store.set(token, { claims }, { ttlMs: lifeS * 1000 })
  return token
}
