/** The public keys of a client (RFC 7591, 2: `jwks`). */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import type { JWK } from 'jose'

/** Most keys of a client. */
export const MAX_CLIENT_KEYS = 10
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const KEPT_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'] as const
const MAX_MEMBER_CHARACTERS = 1500
/** Verifying with a large exponent takes long. */
const MAX_EXPONENT_CHARACTERS = 8
/** The curves of ES256, ES384 and ES512 (RFC 7518, 3.4), as OpenSSL names them. */
const CURVES: readonly string[] = ['prime256v1', 'secp384r1', 'secp521r1']
const MIN_RSA_BITS = 2048

/** The keys of a JWK Set with the members that matter, or why it can't be used. */
export function readClientKeys(value: unknown): { keys: JWK[] } | { problem: string } {
  if (!isRecord(value) || !Array.isArray(value.keys)) return { problem: 'must be a JWK Set, an object with keys' }
  if (value.keys.length > MAX_CLIENT_KEYS) return { problem: `must have at most ${MAX_CLIENT_KEYS} keys` }
  const keys: JWK[] = []
  for (const key of value.keys) {
    const read = readPublicJwk(key)
    if (typeof read === 'string') return { problem: read }
    keys.push(read)
  }
  return { keys }
}

/** A public key for one of the supported algorithms, or why it can't be used. */
export function readPublicJwk(value: unknown): JWK | string {
  if (!isRecord(value)) return 'has a key that is not an object'
  if (PRIVATE_MEMBERS.some(name => Object.hasOwn(value, name))) return 'has a private or symmetric key'
  const members = KEPT_MEMBERS.flatMap(name => (Object.hasOwn(value, name) ? [[name, value[name]] as const] : []))
  const areTexts = members.every(([, member]) => typeof member === 'string' && member.length <= MAX_MEMBER_CHARACTERS)
  if (!areTexts) return `has a key with a member that is not text of at most ${MAX_MEMBER_CHARACTERS} characters`
  const jwk = Object.fromEntries(members) as JWK
  if ((jwk.e?.length ?? 0) > MAX_EXPONENT_CHARACTERS) return 'has a key with a large exponent'
  const key = importPublicJwk(jwk)
  if (key === null || !isSupported(key)) return 'has a key that fits no supported algorithm'
  return jwk
}

/** A public key, or null if Node cannot import it. */
function importPublicJwk(jwk: JWK): KeyObject | null {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  } catch {
    return null
  }
}

/** Whether a key can be used with a supported algorithm: its type and curve. RSA keys have at least 2048 bits. */
function isSupported({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (asymmetricKeyType === 'ec') return CURVES.includes(details?.namedCurve ?? '')
  return (
    asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS)
  )
}
