/** The signature algorithms of JWTs (RFC 7518, 3.1; RFC 8037, 3.1). */
import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** Algorithms with a key pair, in the order in which errors list them. */
export const KEY_PAIR_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const
/** An algorithm with a key pair. */
export type KeyPairAlgorithm = (typeof KEY_PAIR_ALGORITHMS)[number]

/** Algorithms with a shared secret. */
export const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const
/** An algorithm with a shared secret. */
export type SecretAlgorithm = (typeof SECRET_ALGORITHMS)[number]

/** Whether a value names an algorithm with a key pair. */
export function isKeyPairAlgorithm(value: unknown): value is KeyPairAlgorithm {
  return KEY_PAIR_ALGORITHMS.some(name => name === value)
}

/** Whether a value names an algorithm with a shared secret. */
export function isSecretAlgorithm(value: unknown): value is SecretAlgorithm {
  return SECRET_ALGORITHMS.some(name => name === value)
}

/** Generates a private key as JWK (RFC 7517); RSA keys have 2048 bits. */
export async function generateJwk(algorithm: KeyPairAlgorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return exportJWK(privateKey)
}
