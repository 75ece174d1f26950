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

/** Tokens found valid, with one of the keys. */
export function createKnownTokens(): SigningKeys['known'] {
  return new BoundedMap(MAX_KNOWN)
}

const MAX_KNOWN = 1000

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** Generates an RSA key of 2048 bits, as a private JWK (RFC 7517). */
export async function createSigningKey(): Promise<JWK> {
  const parameters = { ...RSA, modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }
  const { privateKey } = await subtle.generateKey(parameters, true, ['sign', 'verify'])
  const { kty, n, e, d, p, q, dp, dq, qi } = await subtle.exportKey('jwk', privateKey)
  return { kty, n, e, d, p, q, dp, dq, qi } as JWK
}

/** Imports the keys. `known` survives reloads, like the keys. */
export async function importSigningKeys(jwk: JWK, known: SigningKeys['known']): Promise<SigningKeys> {
  const { kty, n, e } = jwk
  const publicJwk = { kty, n, e } as webcrypto.JsonWebKey
  const privateKey = await subtle.importKey('jwk', jwk as webcrypto.JsonWebKey, RSA, false, ['sign'])
  const publicKey = await subtle.importKey('jwk', publicJwk, RSA, true, ['verify'])
  // Imported once: raw bytes would be imported again for every token.
  const secret = await subtle.importKey('raw', Buffer.from(DEMO_SECRET), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  return {
    signing: { RS256: privateKey, HS256: secret },
    verifying: { RS256: publicKey, HS256: secret },
    known,
    jwk: { kty, alg: 'RS256', use: 'sig', kid: RSA_KEY_ID, n, e } as JWK,
  }
}
