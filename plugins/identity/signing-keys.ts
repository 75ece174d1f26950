/** The keys with which tokens are signed: an RSA pair of the process, and a secret that everybody may know. */
import { exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import { webcrypto } from 'node:crypto'
import type { TokenAlgorithm } from './types.ts'

type Key = webcrypto.CryptoKey

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
}

/** Makes a new RSA pair of 2048 bits. */
export async function createSigningKeys(): Promise<SigningKeys> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  // Imported once: a key of bytes would be imported anew for every token.
  const secret = await webcrypto.subtle.importKey('raw', Buffer.from(DEMO_SECRET), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  const { kty, n, e } = await exportJWK(publicKey)
  return {
    signing: { RS256: privateKey, HS256: secret },
    verifying: { RS256: publicKey, HS256: secret },
    jwk: { kty, alg: 'RS256', use: 'sig', kid: RSA_KEY_ID, n, e } as JWK,
  }
}
