/** Verifies the access token of a request to a resource. */
import type { FastifyRequest, Svc } from 'svc/plugin'
import type { Issuers } from '../issuers/issuers.ts'
import { bindingOf } from '../tokens/confirmation.ts'
import type { PresentedVerification, ResourceChecks, Tokens } from '../types.ts'
import { challengeFor, checkBinding, presentedToken } from './presented-token.ts'

/** Implements `verifyRequest` of the extension point. */
export function createRequestVerification(
  svc: Pick<Svc, 'http' | 'pki'>,
  issuers: Issuers,
  verify: Tokens['verify'],
): (request: FastifyRequest, checks?: ResourceChecks) => Promise<PresentedVerification> {
  return async (request, { binding: needed = 'optional', ...checks } = {}) => {
    const presented = presentedToken(request.headers.authorization)
    if (presented === null || (needed === 'off' && presented.scheme === 'dpop'))
      return { valid: false, error: null, reason: 'no token', challenge: needed === 'required' ? 'DPoP' : 'Bearer' }
    const verification = await verify(presented.token, checks)
    const isDpop = presented.scheme === 'dpop'
    const refuse = (
      error: 'invalid_token' | 'invalid_dpop_proof',
      reason: string,
      isKey = isDpop,
    ): PresentedVerification => ({
      valid: false,
      error,
      reason,
      challenge: challengeFor(isKey, { error, reason }),
    })
    if (!verification.valid) return refuse('invalid_token', verification.reason)
    const issuer = (await issuers.find(verification.issuer)) ?? issuers.default
    const checked = await checkBinding(verification.claims, presented, request, issuer, svc)
    if ('error' in checked)
      return refuse(checked.error, checked.reason, isDpop || bindingOf(verification.claims).jkt !== undefined)
    if (checked.binding === null && needed === 'required') return refuse('invalid_token', 'token not bound')
    return { ...verification, token: presented.token, binding: checked.binding }
  }
}
