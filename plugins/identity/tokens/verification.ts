/**
 * Verifies tokens (RFC 7519, 7.2; RFC 8725, 3). The checks run in a fixed order, and the first that fails gives the
 * reason.
 */
import type { KeyObject } from 'node:crypto'
import type { BoundedMap } from 'svc/toolkit'
import { isMacOf, isSecretAlgorithm, isSignatureOf } from '../keys/algorithms.ts'
import type { KeyPairAlgorithm } from '../keys/algorithms.ts'
import { decodeCompactJwt } from './compact-jwt.ts'
import { issuerNameOf } from '../issuers/issuer.ts'
import type { TokenChecks, TokenClaims, TokenHeader, TokenReason, TokenVerification } from '../types.ts'

/** Allowed clock difference in seconds. */
const LEEWAY_S = 30

/** The keys that verify the tokens of an issuer. */
export interface VerifyingKeys {
  /** Name of the issuer. */
  issuer: string
  keys: readonly { alg: KeyPairAlgorithm; key: KeyObject; id: string }[]
  /** The secret of HS256 tokens; null if the issuer has none. */
  secret: string | null
  /**
   * Cache of tokens with a verified signature, with the id of the key. Clients send the same token with every request,
   * and verifying the signature is the most expensive check. Dates and revocation are checked each time. Null for none.
   */
  known: BoundedMap<string> | null
}

/** Verifies everything but revocation; `now` is in seconds since 1970. */
export function verifyToken(token: string, checks: TokenChecks, keys: VerifyingKeys, now: number): TokenVerification {
  const decoded = decodeCompactJwt(token)
  if ('malformed' in decoded) return failed('malformed token')
  const { header, claims } = decoded
  const algorithm = algorithmOf(header, checks, keys)
  if ('reason' in algorithm) return failed(algorithm.reason)
  // No extensions are supported, so any `crit` makes the token invalid (RFC 7515, 4.1.11).
  if (header.crit !== undefined) return failed('invalid token')
  // Only the algorithm selects the key: the sender controls `kid`, `jwk`, `jku` and `x5c`.
  if (!isSigned(token, algorithm.name, keys)) return failed('invalid signature')
  const reason =
    checkType(header, checks) ??
    checkDates(claims, now) ??
    checkIssuer(claims, checks, keys) ??
    checkAudience(claims, checks)
  return reason === null ? { valid: true, header, claims, issuer: keys.issuer } : failed(reason)
}

function failed(reason: TokenReason): TokenVerification {
  return { valid: false, reason }
}

function algorithmOf(
  { alg }: TokenHeader,
  checks: TokenChecks,
  { keys, secret }: VerifyingKeys,
): { name: string } | { reason: TokenReason } {
  if (alg === undefined) return { reason: 'alg missing' }
  if (typeof alg === 'string' && alg.toLowerCase() === 'none') return { reason: 'alg none is refused' }
  if (typeof alg !== 'string' || checks.algorithms?.some(allowed => allowed === alg) === false)
    return { reason: 'alg not supported' }
  if (keys.some(key => key.alg === alg) || (secret !== null && alg === 'HS256')) return { name: alg }
  // An issuer without a secret has no key for a message authentication code, whatever made it.
  return { reason: secret === null && isSecretAlgorithm(alg) ? 'invalid signature' : 'alg not supported' }
}

/** Longest token that is cached, in characters; a normal one has less than a thousand. */
const MAX_KNOWN_LENGTH = 4096
const SECRET_ID = 'secret'

function isSigned(token: string, algorithm: string, { keys, secret, known }: VerifyingKeys): boolean {
  const usable = keys.filter(({ alg }) => alg === algorithm)
  const knownBy = known?.get(token)
  if (knownBy !== undefined && (knownBy === SECRET_ID ? secret !== null : usable.some(({ id }) => id === knownBy)))
    return true
  const end = token.lastIndexOf('.')
  const input = token.slice(0, end)
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  const id =
    secret !== null && algorithm === 'HS256'
      ? isMacOf('HS256', secret, input, signature)
        ? SECRET_ID
        : undefined
      : usable.find(({ alg, key }) => isSignatureOf(alg, key, input, signature))?.id
  if (id !== undefined && token.length <= MAX_KNOWN_LENGTH) known?.set(token, id)
  return id !== undefined
}

/** RFC 7515, 4.1.9: a media type, case-insensitive and without `application/`. */
function checkType(header: TokenHeader, { typ }: TokenChecks): TokenReason | null {
  if (typ === undefined) return null
  const own = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : null
  return own === typ ? null : 'wrong type'
}

/** RFC 7519, 4.1.4 to 4.1.6. An `iat` in the future is allowed. */
function checkDates({ exp, nbf, iat }: TokenClaims, now: number): TokenReason | null {
  if (exp === undefined) return 'claim exp missing'
  if (typeof exp !== 'number' || !isNumberIfPresent(nbf) || !isNumberIfPresent(iat)) return 'invalid token'
  if (exp <= now - LEEWAY_S) return 'token expired'
  return typeof nbf === 'number' && nbf > now + LEEWAY_S ? 'token not yet valid' : null
}

function isNumberIfPresent(value: unknown): boolean {
  return value === undefined || typeof value === 'number'
}

/** Tokens of an issuer by path must name it; those of the default issuer can have any `iss`, as a gateway may set it. */
function checkIssuer({ iss }: TokenClaims, { issuer }: TokenChecks, keys: VerifyingKeys): TokenReason | null {
  if (issuer !== undefined && iss !== issuer) return 'issuer mismatch'
  return keys.secret !== null || issuerNameOf(iss) === keys.issuer ? null : 'issuer mismatch'
}

/** RFC 7519, 4.1.3. */
function checkAudience({ aud }: TokenClaims, { audiences }: TokenChecks): TokenReason | null {
  if (audiences === undefined) return null
  const own: unknown[] = Array.isArray(aud) ? aud : [aud]
  return audiences.some(audience => own.includes(audience)) ? null : 'audience mismatch'
}
