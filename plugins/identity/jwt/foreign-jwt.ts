/**
 * Verifies JWTs that others sign for this provider: client assertions, request objects, proofs, assertions of other
 * issuers (RFC 7519, 7.2; RFC 8725, 3).
 */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { TokenClaims, TokenHeader } from '../types.ts'
import { fitsKey, isKeyPairAlgorithm, isMacOf, isSecretAlgorithm, isSignatureOf } from './algorithms.ts'
import { decodeCompactJwt } from './compact-jwt.ts'

/** Allowed clock difference in seconds. */
const LEEWAY_S = 30
const MAX_ID_CHARACTERS = 512

/** Why a JWT is refused, in printable ASCII. */
export class JwtProblem extends Error {}

/** A JWT with the parts of its signature. */
export interface ForeignJwt {
  header: TokenHeader
  claims: TokenClaims
  signed: string
  signature: Buffer
}

/** Decodes a JWT. `types` are the accepted values of the header `typ` in lower case; null accepts a missing one. */
export function readForeignJwt(token: string, types: readonly (string | null)[] | null = null): ForeignJwt {
  const decoded = decodeCompactJwt(token)
  if ('malformed' in decoded) throw new JwtProblem('is not a JWT')
  const { header, claims } = decoded
  // No extensions are supported (RFC 7515, 4.1.11).
  if (header.crit !== undefined) throw new JwtProblem('has a critical extension that is not supported')
  const typ = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : null
  if (types !== null && !types.includes(typ)) throw new JwtProblem('has the wrong typ')
  const end = token.lastIndexOf('.')
  return { header, claims, signed: token.slice(0, end), signature: Buffer.from(token.slice(end + 1), 'base64url') }
}

/** Throws unless a key of the set made the signature: the one that `kid` names, or the only one that fits. */
export function checkKeySignature(jwt: ForeignJwt, keys: readonly JWK[]): void {
  const { alg, kid } = jwt.header
  if (!isKeyPairAlgorithm(alg)) throw new JwtProblem('has an alg that is not supported')
  const usable = keys.flatMap(jwk => {
    const isNamed = kid === undefined || jwk.kid === kid
    const isForUse = (jwk.alg === undefined || jwk.alg === alg) && (jwk.use === undefined || jwk.use === 'sig')
    const key = isNamed && isForUse ? importPublicJwk(jwk) : null
    return key !== null && fitsKey(alg, key) ? [key] : []
  })
  const [key, ...others] = usable
  if (key === undefined) throw new JwtProblem('names no key that is known')
  if (others.length > 0) throw new JwtProblem('needs a kid, because several keys fit')
  if (!isSignatureOf(alg, key, jwt.signed, jwt.signature)) throw new JwtProblem('has an invalid signature')
}

/** Throws unless the secret made the message authentication code. */
export function checkSecretSignature({ header, signed, signature }: ForeignJwt, secret: string): void {
  if (!isSecretAlgorithm(header.alg)) throw new JwtProblem('has an alg that is not supported')
  if (!isMacOf(header.alg, secret, signed, signature)) throw new JwtProblem('has an invalid signature')
}

/** A public key, or null if Node cannot import it. */
export function importPublicJwk(jwk: JWK): KeyObject | null {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  } catch {
    return null
  }
}

/** Throws unless the JWT is valid now and expires within `maxAheadS` seconds. Returns its expiry time in seconds. */
export function checkLifetime({ exp, nbf, iat }: TokenClaims, maxAheadS: number): number {
  const now = Date.now() / 1000
  if (typeof exp !== 'number') throw new JwtProblem('has no exp')
  if (exp <= now - LEEWAY_S) throw new JwtProblem('is expired')
  if (exp > now + maxAheadS + LEEWAY_S) throw new JwtProblem(`expires more than ${maxAheadS} seconds from now`)
  for (const date of [nbf, iat])
    if (date !== undefined && !(typeof date === 'number' && date <= now + LEEWAY_S))
      throw new JwtProblem('is not valid yet')
  return exp
}

/** Throws unless `aud` is or contains one of the audiences. */
export function checkAudience({ aud }: TokenClaims, audiences: readonly string[]): void {
  const own: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!audiences.some(audience => own.includes(audience))) throw new JwtProblem('has another aud')
}

/** The `jti`; undefined if it is absent. */
export function jwtId({ jti }: TokenClaims): string | undefined {
  if (jti === undefined) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS)
    throw new JwtProblem(`has a jti that is not text of 1 to ${MAX_ID_CHARACTERS} characters`)
  return jti
}
