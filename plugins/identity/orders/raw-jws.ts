/**
 * Writes JWS by hand, byte by byte (RFC 7515): any part of an ordered token may be wrong, and jose refuses to make most of
 * these. Everything else signs with jose.
 */
import { constants, createHmac, type KeyObject, sign } from 'node:crypto'
import type { KeyPairAlgorithm, SecretAlgorithm } from '../jwt/algorithms.ts'

/** Text in base64url (RFC 7515, 2). */
export function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** The signature of any input (RFC 7518, 3.3 to 3.5; RFC 8037, 3.1). */
export function signInput(algorithm: KeyPairAlgorithm, key: KeyObject, input: string): Buffer {
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`
  const bytes = Buffer.from(input)
  if (algorithm.startsWith('PS'))
    return sign(hash, bytes, {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    })
  return sign(hash, bytes, algorithm.startsWith('ES') ? { key, dsaEncoding: 'ieee-p1363' } : { key })
}

/** The message authentication code of any input (RFC 7518, 3.2), with any secret, also an empty one. */
export function macOf(algorithm: SecretAlgorithm, secret: string, input: string): Buffer {
  return createHmac(`sha${algorithm.slice(2)}`, secret)
    .update(input)
    .digest()
}

/** The two numbers of an ECDSA signature as DER (X9.62), which JWTs must not use (RFC 7518, 3.4). */
export function toDer(signature: Buffer): Buffer {
  const half = signature.length / 2
  const numbers = Buffer.concat([signature.subarray(0, half), signature.subarray(half)].map(derInteger))
  const size = numbers.length < 128 ? [numbers.length] : [0x81, numbers.length]
  return Buffer.concat([Buffer.from([0x30, ...size]), numbers])
}

function derInteger(bytes: Buffer): Buffer {
  const start = bytes.findIndex(byte => byte !== 0)
  const significant = bytes.subarray(Math.max(start, 0))
  const positive = significant[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), significant]) : significant
  return Buffer.concat([Buffer.from([0x02, positive.length]), positive])
}
