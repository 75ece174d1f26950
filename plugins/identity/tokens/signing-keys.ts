/** The keys that sign tokens: an RSA key pair per process, and a public demo secret. */
import type { JWK } from 'jose'
import { webcrypto } from 'node:crypto'
import { BoundedMap } from 'svc/plugin'
import type { TokenAlgorithm } from '../types.ts'

type Key = webcrypto.CryptoKey
const { subtle } = webcrypto

/** Public on purpose, so that users can create tokens by hand. */
const DEMO_SECRET = 'svc-demo-secret-do-not-use-in-production'

/** Key id of the RSA pair, in JWK Set and token headers. */
export const RSA_KEY_ID = 'svc-rs256-key'

/** Keys by algorithm. */
export interface SigningKeys {
  signing: Record<TokenAlgorithm, Key>
  verifying: Record<TokenAlgorithm, Key>
  /** The public half of the RSA pair (RFC 7517). */
  jwk: JWK
  /**
   * Cache of tokens with a verified signature. Clients send the same token with every request, and verifying the
   * signature is the most expensive check. Dates and revocation are checked each time.
   */
  known: BoundedMap<true>
}

const MAX_KNOWN = 1000

/** Generates a new RSA key pair of 2048 bits. */
export async function createSigningKeys(): Promise<SigningKeys> {
  const { publicKey, privateKey } = await subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
    false,
    ['sign', 'verify'],
  )
  // Imported once: raw bytes would be imported again for every token.
  const secret = await subtle.importKey('raw', Buffer.from(DEMO_SECRET), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  const { kty, n, e } = await subtle.exportKey('jwk', publicKey)
  return {
    signing: { RS256: privateKey, HS256: secret },
    verifying: { RS256: publicKey, HS256: secret },
    known: new BoundedMap(MAX_KNOWN),
    jwk: { kty, alg: 'RS256', use: 'sig', kid: RSA_KEY_ID, n, e } as JWK,
  }
}
