/**
 * Verifies tokens (RFC 7519, 7.2; RFC 8725, 3). The checks run in a fixed order, and the first that fails gives the
 * reason.
 */
import { decodeCompactJwt } from './compact-jwt.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { TokenAlgorithm, TokenChecks, TokenClaims, TokenHeader, TokenReason, TokenVerification } from '../types.ts'

/** Allowed clock difference in seconds. */
const LEEWAY_S = 30
const ALGORITHMS: readonly TokenAlgorithm[] = ['RS256', 'HS256']

/** Verifies everything but revocation; `now` is in seconds since 1970. */
export async function verifyToken(
  token: string,
  checks: TokenChecks,
  keys: SigningKeys,
  now: number,
): Promise<TokenVerification> {
  const decoded = decodeCompactJwt(token)
  if ('malformed' in decoded) return failed('malformed token')
  const { header, claims } = decoded
  const algorithm = algorithmOf(header, checks.algorithms ?? ALGORITHMS)
  if ('reason' in algorithm) return failed(algorithm.reason)
  // No extensions are supported, so any `crit` makes the token invalid (RFC 7515, 4.1.11).
  if (header.crit !== undefined) return failed('invalid token')
  // Only the algorithm selects the key: the sender controls `kid`, `jwk`, `jku` and `x5c`.
  if (!(await isSigned(token, keys, algorithm.name))) return failed('invalid signature')
  const reason =
    checkType(header, checks) ?? checkDates(claims, now) ?? checkIssuer(claims, checks) ?? checkAudience(claims, checks)
  return reason === null ? { valid: true, header, claims } : failed(reason)
}

function failed(reason: TokenReason): TokenVerification {
  return { valid: false, reason }
}

function algorithmOf(
  header: TokenHeader,
  allowed: readonly TokenAlgorithm[],
): { name: TokenAlgorithm } | { reason: TokenReason } {
  const { alg } = header
  if (alg === undefined) return { reason: 'alg missing' }
  if (typeof alg === 'string' && alg.toLowerCase() === 'none') return { reason: 'alg none is refused' }
  const name = allowed.find(algorithm => algorithm === alg)
  return name === undefined ? { reason: 'alg not supported' } : { name }
}

/** Longest token that is cached, in characters; a normal one has less than a thousand. */
const MAX_KNOWN_LENGTH = 4096

async function isSigned(token: string, { verifying, known }: SigningKeys, algorithm: TokenAlgorithm): Promise<boolean> {
  if (known.get(token) === true) return true
  const { compactVerify } = await import('jose')
  try {
    await compactVerify(token, verifying[algorithm], { algorithms: [algorithm] })
    if (token.length <= MAX_KNOWN_LENGTH) known.set(token, true)
    return true
  } catch {
    return false
  }
}

/** RFC 7515, 4.1.9: a media type, case-insensitive and without `application/`. */
function checkType(header: TokenHeader, { typ }: TokenChecks): TokenReason | null {
  if (typ === undefined) return null
  const own = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : null
  return own === typ ? null : 'invalid token'
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

function checkIssuer({ iss }: TokenClaims, { issuer }: TokenChecks): TokenReason | null {
  return issuer === undefined || iss === issuer ? null : 'issuer mismatch'
}

/** RFC 7519, 4.1.3. */
function checkAudience({ aud }: TokenClaims, { audiences }: TokenChecks): TokenReason | null {
  if (audiences === undefined) return null
  const own: unknown[] = Array.isArray(aud) ? aud : [aud]
  return audiences.some(audience => own.includes(audience)) ? null : 'audience mismatch'
}
