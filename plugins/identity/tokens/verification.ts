/** Verifies tokens (RFC 7519, 7.2; RFC 8725, 3). The first check that fails gives the reason. */
import type { KeyObject } from 'node:crypto'
import { jwtVerify, type JWTVerifyOptions } from 'jose'
import type { BoundedMap } from 'svc/toolkit'
import type { Issuer } from '../issuers/issuer.ts'
import { type IssuerNameOf, nameByPath } from '../issuers/issuer-hosts.ts'
import { isSecretAlgorithm, type KeyPairAlgorithm } from '../jwt/algorithms.ts'
import { decodeCompactJwt } from '../jwt/compact-jwt.ts'
import { failureOf, type JwtFailure } from '../jwt/failures.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { TokenChecks, TokenClaims, TokenHeader, TokenReason, TokenVerification } from '../types.ts'
import { DEMO_SECRET } from './sign.ts'

/** Allowed clock difference in seconds. */
const LEEWAY_S = 30
/** Longest token that is cached, in characters; a normal one has less than a thousand. */
const MAX_KNOWN_LENGTH = 4096

const REASONS: Record<JwtFailure, TokenReason> = {
  structure: 'invalid token',
  algorithm: 'alg not supported',
  extension: 'invalid token',
  'no key': 'invalid signature',
  'several keys': 'invalid signature',
  signature: 'invalid signature',
  type: 'wrong type',
  expired: 'token expired',
  'not yet valid': 'token not yet valid',
  'no expiry': 'claim exp missing',
  issuer: 'issuer mismatch',
  audience: 'audience mismatch',
  claim: 'invalid token',
}

/** Failures that jose reports before an expired token, and this server after it. */
const AFTER_EXPIRY: readonly JwtFailure[] = ['not yet valid', 'issuer', 'audience']

/** A key that verifies tokens of an issuer. */
interface VerifyingKey {
  alg: KeyPairAlgorithm | 'HS256'
  key: KeyObject | Uint8Array
  id: string
}

/** A token that passed its checks: which key verified it, and until when it is valid, in seconds since 1970. */
export interface KnownToken {
  keyId: string
  until: number
}

/** The keys that verify the tokens of an issuer. */
export interface VerifyingKeys {
  /** Name of the issuer. */
  issuer: string
  /** Default: by path. */
  nameOf?: IssuerNameOf
  keys: readonly { alg: KeyPairAlgorithm; key: KeyObject; id: string }[]
  /** The secret of HS256 tokens; null if the issuer has none. */
  secret: string | null
  /**
   * Cache of valid tokens, by the token and what was checked. Clients send the same token with every request, and
   * verifying the signature is expensive. Revocation is checked each time. Null for none.
   */
  known: BoundedMap<KnownToken> | null
}

/** Verifies everything but revocation; `now` is in seconds since 1970. */
export async function verifyToken(
  token: string,
  checks: TokenChecks,
  keys: VerifyingKeys,
  now: number,
): Promise<TokenVerification> {
  const decoded = decodeCompactJwt(token)
  if ('malformed' in decoded) return failed('malformed token')
  const { header, claims } = decoded
  // Only the algorithm selects the key: the sender controls `kid`, `jwk`, `jku` and `x5c`.
  const usable = usableKeys(header, checks, keys)
  if ('reason' in usable) return failed(usable.reason)
  const reason = (await verifyByKnown(token, claims, checks, usable, keys, now)) ?? checkPath(claims, keys)
  return reason === null ? { valid: true, header, claims, issuer: keys.issuer } : failed(reason)
}

function failed(reason: TokenReason): TokenVerification {
  return { valid: false, reason }
}

/** The keys for the algorithm of a token, or why there are none. */
function usableKeys(
  { alg }: TokenHeader,
  { algorithms }: TokenChecks,
  { keys, secret }: VerifyingKeys,
): VerifyingKey[] | { reason: TokenReason } {
  if (alg === undefined) return { reason: 'alg missing' }
  if (typeof alg === 'string' && alg.toLowerCase() === 'none') return { reason: 'alg none is refused' }
  if (typeof alg !== 'string' || algorithms?.some(allowed => allowed === alg) === false)
    return { reason: 'alg not supported' }
  const own: VerifyingKey[] =
    secret === null ? [...keys] : [...keys, { alg: 'HS256', key: Buffer.from(secret), id: 'secret' }]
  const usable = own.filter(key => key.alg === alg)
  if (usable.length > 0) return usable
  // An issuer without a secret has no key for a message authentication code, whatever made it.
  return { reason: secret === null && isSecretAlgorithm(alg) ? 'invalid signature' : 'alg not supported' }
}

/** Verifies a token unless it is known; returns why it is not valid, or null. */
async function verifyByKnown(
  token: string,
  { exp }: TokenClaims,
  { typ, issuer, audiences }: TokenChecks,
  usable: readonly VerifyingKey[],
  { known }: VerifyingKeys,
  now: number,
): Promise<TokenReason | null> {
  const id = `${JSON.stringify([typ, issuer, audiences])} ${token}`
  const found = known?.get(id)
  if (found !== undefined && now < found.until && usable.some(key => key.id === found.keyId)) return null
  const options: JWTVerifyOptions = {
    currentDate: new Date(now * 1000),
    clockTolerance: LEEWAY_S,
    requiredClaims: ['exp'],
    ...(typ !== undefined && { typ }),
    ...(issuer !== undefined && { issuer }),
    ...(audiences !== undefined && { audience: [...audiences] }),
  }
  let failure: JwtFailure = 'signature'
  for (const { alg, key, id: keyId } of usable) {
    try {
      await jwtVerify(token, key, { ...options, algorithms: [alg] })
      if (token.length <= MAX_KNOWN_LENGTH) known?.set(id, { keyId, until: Number(exp) + LEEWAY_S })
      return null
    } catch (error) {
      failure = failureOf(error)
      if (failure !== 'signature') break
    }
  }
  const isExpired = typeof exp === 'number' && exp <= now - LEEWAY_S
  return REASONS[isExpired && AFTER_EXPIRY.includes(failure) ? 'expired' : failure]
}

/** Tokens of an issuer by path must name it; those of the default issuer can have any `iss`, as a gateway may set it. */
function checkPath({ iss }: TokenClaims, keys: VerifyingKeys): TokenReason | null {
  return keys.secret !== null || (keys.nameOf ?? nameByPath)(iss) === keys.issuer ? null : 'issuer mismatch'
}

/** Verifies a token of one issuer, including revocation if the checks ask for it. */
export async function verifyOfIssuer(
  token: string,
  checks: TokenChecks,
  issuer: Issuer,
  known: BoundedMap<KnownToken>,
): Promise<TokenVerification> {
  const keys = await issuer.keys.verifying()
  const secret = issuer.name === DEFAULT_ISSUER ? DEMO_SECRET : null
  const verification = await verifyToken(
    token,
    checks,
    { issuer: issuer.name, nameOf: issuer.nameOf, keys, secret, known },
    Date.now() / 1000,
  )
  if (!verification.valid || checks.refuseRevoked !== true) return verification
  return (await issuer.revocations.has(verification.claims)) ? { valid: false, reason: 'token revoked' } : verification
}
