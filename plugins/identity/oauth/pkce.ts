/** Proof Key for Code Exchange (RFC 7636). */
import { createHash } from 'node:crypto'
import { isSameSecret } from 'svc/toolkit'

/** How a challenge is derived from its verifier (RFC 7636, 4.2). */
export const CHALLENGE_METHODS = ['S256', 'plain'] as const
/** A supported `code_challenge_method`. */
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number]

/** The code challenge of an authorization request. */
export interface Challenge {
  value: string
  method: ChallengeMethod
}

/** RFC 7636, 4.1 and 4.2: challenge and verifier have the same syntax. */
const SYNTAX = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether a text can be a challenge or a verifier. */
export function isPkceValue(text: string): boolean {
  return SYNTAX.test(text)
}

/** Finds a method by exact name; `plain` if absent (RFC 7636, 4.3), null if unknown. */
export function findChallengeMethod(name = 'plain'): ChallengeMethod | null {
  return CHALLENGE_METHODS.find(method => method === name) ?? null
}

/** Whether the verifier matches the challenge (RFC 7636, 4.6). */
export function isVerifierOf(challenge: Challenge, verifier: string): boolean {
  if (!isPkceValue(verifier)) return false
  const derived = challenge.method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  return isSameSecret(derived, challenge.value)
}
