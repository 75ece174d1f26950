/** Why jose refuses a JWT, by the codes of its errors. */
import { errors } from 'jose'

/** The check that failed. */
export type JwtFailure =
  | 'structure'
  | 'algorithm'
  | 'extension'
  | 'no key'
  | 'several keys'
  | 'signature'
  | 'type'
  | 'expired'
  | 'not yet valid'
  | 'no expiry'
  | 'issuer'
  | 'audience'
  | 'claim'

const FAILURES: Record<string, JwtFailure> = {
  [errors.JWSInvalid.code]: 'structure',
  [errors.JWTInvalid.code]: 'structure',
  [errors.JOSEAlgNotAllowed.code]: 'algorithm',
  [errors.JOSENotSupported.code]: 'extension',
  [errors.JWKSNoMatchingKey.code]: 'no key',
  [errors.JWKSMultipleMatchingKeys.code]: 'several keys',
  [errors.JWSSignatureVerificationFailed.code]: 'signature',
  [errors.JWTExpired.code]: 'expired',
}

/** By claim (or the header `typ`) and the reason that jose gives. */
const CLAIM_FAILURES: Record<string, JwtFailure> = {
  'typ check_failed': 'type',
  'exp missing': 'no expiry',
  'nbf check_failed': 'not yet valid',
  'iss missing': 'issuer',
  'iss check_failed': 'issuer',
  'aud missing': 'audience',
  'aud check_failed': 'audience',
}

/** The failure that an error of jose stands for; throws any other error again. */
export function failureOf(error: unknown): JwtFailure {
  if (error instanceof errors.JWTClaimValidationFailed)
    return CLAIM_FAILURES[`${error.claim} ${error.reason}`] ?? 'claim'
  const failure = error instanceof errors.JOSEError ? FAILURES[error.code] : undefined
  if (failure === undefined) throw error
  return failure
}
