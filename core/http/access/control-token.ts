/** Verifies control-plane tokens: JWTs (RFC 7519) signed with Ed25519 (RFC 8037, RFC 9864). */
import type { KeyObject } from 'node:crypto'
import type { errors } from 'jose'
import { BoundedMap } from '../../collections/bounded-map.ts'
import { grantedScopes, type Scope } from './scopes.ts'

export type TokenProblem =
  | 'expired'
  | 'not_yet_valid'
  | 'invalid_audience'
  | 'invalid_signature'
  | 'invalid_algorithm'
  | 'missing_claim'
  | 'malformed'
export type TokenVerification = { scopes: Scope[] } | { problem: TokenProblem }

/** Characters. */
const MAX_LENGTH = 8192
/** Seconds. */
const CLOCK_SKEW = 30
/** Maximum number of cached valid tokens. */
const MAX_REMEMBERED = 1000

export interface ControlTokens {
  /** Returns synchronously for a token that was verified before. */
  verify(token: string): TokenVerification | Promise<TokenVerification>
  /** Whether a token was verified and is still valid. */
  isKnown(token: string): boolean
}

/** Clients send the same token with every request, so verified ones are cached until they expire. */
export function createControlTokens(key: KeyObject, audience: string[]): ControlTokens {
  const known = new BoundedMap<{ scopes: Scope[]; validUntilMs: number }>(MAX_REMEMBERED)

  function recall(token: string): Scope[] | null {
    const found = known.get(token)
    if (found === undefined) return null
    if (Date.now() < found.validUntilMs) return found.scopes
    known.delete(token)
    return null
  }

  async function verify(token: string): Promise<TokenVerification> {
    if (token.length > MAX_LENGTH) return { problem: 'malformed' }
    const { errors, jwtVerify } = await import('jose')
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['EdDSA', 'Ed25519'],
        audience,
        clockTolerance: CLOCK_SKEW,
        requiredClaims: ['exp', 'aud'],
      })
      const scopes = grantedScopes(payload.scope)
      known.set(token, { scopes, validUntilMs: (payload.exp! + CLOCK_SKEW) * 1000 })
      return { scopes }
    } catch (error) {
      return { problem: problemOf(error, errors) }
    }
  }

  return {
    verify(token) {
      const scopes = recall(token)
      return scopes === null ? verify(token) : { scopes }
    },
    isKnown: token => recall(token) !== null,
  }
}

const CLAIM_PROBLEMS: Record<string, TokenProblem> = { aud: 'invalid_audience', nbf: 'not_yet_valid' }

function problemOf(error: unknown, kinds: typeof errors): TokenProblem {
  if (error instanceof kinds.JWTExpired) return 'expired'
  if (error instanceof kinds.JWSSignatureVerificationFailed) return 'invalid_signature'
  if (error instanceof kinds.JOSEAlgNotAllowed) return 'invalid_algorithm'
  if (!(error instanceof kinds.JWTClaimValidationFailed)) return 'malformed'
  if (error.reason === 'missing') return 'missing_claim'
  return (error.reason === 'check_failed' ? CLAIM_PROBLEMS[error.claim] : undefined) ?? 'malformed'
}
