/**
 * Verifies JWTs that others sign for this provider: client assertions, request objects, proofs, assertions of other
 * issuers (RFC 7519, 7.2; RFC 8725, 3).
 */
import { createLocalJWKSet, type JWK, jwtVerify, type JWTVerifyOptions } from 'jose'
import type { TokenClaims, TokenHeader } from '../types.ts'
import { KEY_PAIR_ALGORITHMS, SECRET_ALGORITHMS } from './algorithms.ts'
import { decodeCompactJwt } from './compact-jwt.ts'
import { failureOf, type JwtFailure } from './failures.ts'

/** Allowed clock difference in seconds. */
const LEEWAY_S = 30
const MAX_ID_CHARACTERS = 512

const PROBLEMS: Record<JwtFailure, string> = {
  structure: 'is not a JWT',
  algorithm: 'has an alg that is not supported',
  extension: 'has a critical extension that is not supported',
  'no key': 'names no key that is known',
  'several keys': 'needs a kid, because several keys fit',
  signature: 'has an invalid signature',
  type: 'has the wrong typ',
  expired: 'is expired',
  'not yet valid': 'is not valid yet',
  'no expiry': 'has no exp',
  issuer: 'has another iss',
  audience: 'has another aud',
  claim: 'has a date that is not a number',
}

/** Why a JWT is refused, in printable ASCII. */
export class JwtProblem extends Error {}

/** A JWT that is not verified yet. */
export interface ForeignJwt {
  token: string
  header: TokenHeader
  claims: TokenClaims
}

/** What verifies a JWT: a key of a set, the one that `kid` names or the only one that fits; or a shared secret. */
export type VerificationKey = { keys: readonly JWK[] } | { secret: string }

/** What must be true of the claims. */
export interface ForeignChecks {
  /** `aud` must be or contain one of these. */
  audiences?: readonly string[]
  /** `exp` is required, and at most this many seconds from now; `iat` is not in the future. */
  maxAheadS?: number
}

/** Decodes a JWT. `types` are the accepted values of the header `typ` in lower case; null accepts a missing one. */
export function readForeignJwt(token: string, types: readonly (string | null)[] | null = null): ForeignJwt {
  const decoded = decodeCompactJwt(token)
  if ('malformed' in decoded) throw new JwtProblem(PROBLEMS.structure)
  const { header, claims } = decoded
  const typ = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : null
  if (types !== null && !types.includes(typ)) throw new JwtProblem(PROBLEMS.type)
  return { token, header, claims }
}

/** Verifies signature, dates and audience; throws a `JwtProblem`. Returns the expiry time in seconds, NaN without one. */
export async function verifyForeignJwt(
  { token, claims }: ForeignJwt,
  key: VerificationKey,
  { audiences, maxAheadS }: ForeignChecks,
): Promise<number> {
  const options: JWTVerifyOptions = {
    algorithms: [...('secret' in key ? SECRET_ALGORITHMS : KEY_PAIR_ALGORITHMS)],
    clockTolerance: LEEWAY_S,
    ...(audiences !== undefined && { audience: [...audiences] }),
    ...(maxAheadS !== undefined && { requiredClaims: ['exp'] }),
  }
  try {
    if ('secret' in key) await jwtVerify(token, Buffer.from(key.secret), options)
    else await jwtVerify(token, createLocalJWKSet({ keys: [...key.keys] }), options)
  } catch (error) {
    throw new JwtProblem(PROBLEMS[failureOf(error)])
  }
  const exp = Number(claims.exp)
  if (maxAheadS !== undefined) checkAhead(claims, exp, maxAheadS)
  return exp
}

/** Rules that jose does not know: neither an issue in the future nor an expiry far ahead. */
function checkAhead({ iat }: TokenClaims, exp: number, maxAheadS: number): void {
  const now = Date.now() / 1000
  if (typeof iat === 'number' && iat > now + LEEWAY_S) throw new JwtProblem(PROBLEMS['not yet valid'])
  if (exp > now + maxAheadS + LEEWAY_S) throw new JwtProblem(`expires more than ${maxAheadS} seconds from now`)
}

/** The `jti`; undefined if it is absent. */
export function jwtId({ jti }: TokenClaims): string | undefined {
  if (jti === undefined) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARACTERS)
    throw new JwtProblem(`has a jti that is not text of 1 to ${MAX_ID_CHARACTERS} characters`)
  return jti
}
