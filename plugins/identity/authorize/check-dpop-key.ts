/** Checks `dpop_jkt`, to which the code is bound (RFC 9449, 10). */
import { JKT } from '../binding/dpop-proof.ts'
import { OAuthError } from '../errors.ts'
import { DEFAULT_ISSUER } from '../issuers/issuer-settings.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_request` for a value that is not a thumbprint. The default issuer ignores the parameter. */
export const checkDpopKey: Check = request => {
  const jkt = request.parameters.get('dpop_jkt')
  if (jkt === undefined || request.issuer.name === DEFAULT_ISSUER) return
  if (!JKT.test(jkt)) throw new OAuthError('invalid_request', 'dpop_jkt must be a SHA-256 thumbprint in base64url')
  request.dpopJkt = jkt
}
