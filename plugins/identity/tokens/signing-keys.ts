/** The keys with which tokens are signed: an RSA pair of the process, and a secret that everybody may know. */
import type { JWK } from 'jose'
import { webcrypto } from 'node:crypto'
import { BoundedMap } from 'svc/plugin'
import type { TokenAlgorithm } from '../types.ts'

type Key = webcrypto.CryptoKey
const { subtle } = webcrypto

/** Public on purpose: with it a reader makes tokens by hand that the server accepts. */
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
   * Tokens that one of the keys has signed, as was found before: clients send one with every request, and looking at its
   * signature costs more than all the rest. Their dates and their revocation are looked at each time.
   */
  known: BoundedMap<true>
}

const MAX_KNOWN = 1000

/** Makes a new RSA pair of 2048 bits. */
export async function createSigningKeys(): Promise<SigningKeys> {
  const { publicKey, privateKey } = await subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) },
    false,
    ['sign', 'verify'],
  )
  // Imported once: a key of bytes would be imported anew for every token.
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
