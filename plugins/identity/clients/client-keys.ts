/** The public keys of a client (RFC 7591, 2: `jwks`). */
import { isRecord } from 'svc/toolkit'
import type { JWK } from 'jose'
import { fitsKey, KEY_PAIR_ALGORITHMS } from '../keys/algorithms.ts'
import { importPublicJwk } from '../tokens/foreign-jwt.ts'

/** Most keys of a client. */
export const MAX_CLIENT_KEYS = 10
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const KEPT_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'] as const
const MAX_MEMBER_CHARACTERS = 1500
/** Verifying with a large exponent takes long. */
const MAX_EXPONENT_CHARACTERS = 8

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
  if (key === null || !KEY_PAIR_ALGORITHMS.some(algorithm => fitsKey(algorithm, key)))
    return 'has a key that fits no supported algorithm'
  return jwk
}
