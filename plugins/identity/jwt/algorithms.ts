/** The signature algorithms of JWTs (RFC 7518, 3.1; RFC 8037, 3.1) and how Node names their parts. */
import {
  constants,
  createHmac,
  generateKeyPair,
  type KeyObject,
  sign,
  type SignKeyObjectInput,
  timingSafeEqual,
  verify,
  type VerifyKeyObjectInput,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'

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

/** The curve of each ECDSA algorithm (RFC 7518, 3.4). */
const CURVES: Partial<Record<KeyPairAlgorithm, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }
const RSA_BITS = 2048

/** Whether a value names an algorithm with a key pair. */
export function isKeyPairAlgorithm(value: unknown): value is KeyPairAlgorithm {
  return KEY_PAIR_ALGORITHMS.some(name => name === value)
}

/** Whether a value names an algorithm with a shared secret. */
export function isSecretAlgorithm(value: unknown): value is SecretAlgorithm {
  return SECRET_ALGORITHMS.some(name => name === value)
}

/** Generates a private key as JWK (RFC 7517). */
export async function generateJwk(algorithm: KeyPairAlgorithm): Promise<JWK> {
  const { privateKey } = await generatePair(algorithm)
  return privateKey.export({ format: 'jwk' }) as JWK
}

function generatePair(algorithm: KeyPairAlgorithm): Promise<{ privateKey: KeyObject }> {
  const namedCurve = CURVES[algorithm]
  if (namedCurve !== undefined) return promisify(generateKeyPair)('ec', { namedCurve })
  if (algorithm === 'EdDSA') return promisify(generateKeyPair)('ed25519')
  return promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })
}

/** Whether a key can be used with an algorithm: its type and, for ECDSA, its curve. RSA keys have at least 2048 bits. */
export function fitsKey(algorithm: KeyPairAlgorithm, key: KeyObject): boolean {
  const details = key.asymmetricKeyDetails
  if (algorithm.startsWith('ES')) return key.asymmetricKeyType === 'ec' && details?.namedCurve === nodeCurve(algorithm)
  if (algorithm === 'EdDSA') return key.asymmetricKeyType === 'ed25519'
  return key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= RSA_BITS
}

function nodeCurve(algorithm: KeyPairAlgorithm): string {
  return { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' }[algorithm as 'ES256']
}

/** The signature of the signing input (RFC 7515, 5.1). */
export function signInput(algorithm: KeyPairAlgorithm, key: KeyObject, input: string): Buffer {
  return sign(hashOf(algorithm), Buffer.from(input), inputOf(algorithm, key))
}

/** Whether the signature is that of the signing input (RFC 7515, 5.2). */
export function isSignatureOf(
  algorithm: KeyPairAlgorithm,
  key: KeyObject,
  input: string,
  signature: Uint8Array,
): boolean {
  try {
    return verify(hashOf(algorithm), Buffer.from(input), inputOf(algorithm, key), signature)
  } catch {
    return false
  }
}

/** The message authentication code of the signing input (RFC 7518, 3.2). */
export function macOf(algorithm: SecretAlgorithm, secret: string | Buffer, input: string): Buffer {
  return createHmac(`sha${algorithm.slice(2)}`, secret)
    .update(input)
    .digest()
}

/** Whether the message authentication code is that of the signing input. */
export function isMacOf(algorithm: SecretAlgorithm, secret: string | Buffer, input: string, mac: Uint8Array): boolean {
  const expected = macOf(algorithm, secret, input)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

function hashOf(algorithm: KeyPairAlgorithm): string | null {
  return algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`
}

function inputOf(algorithm: KeyPairAlgorithm, key: KeyObject): SignKeyObjectInput & VerifyKeyObjectInput {
  if (algorithm.startsWith('PS'))
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return algorithm.startsWith('ES') ? { key, dsaEncoding: 'ieee-p1363' } : { key }
}
