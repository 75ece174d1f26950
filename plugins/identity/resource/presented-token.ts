/** Access tokens at resources, with the proof or the certificate that they are bound to (RFC 9449, 7; RFC 8705, 3). */
import { type FastifyRequest, type Svc } from 'svc/plugin'
import { readAuthorization } from 'svc/toolkit'
import { readProof } from '../binding/dpop-proof.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { KEY_PAIR_ALGORITHMS } from '../jwt/algorithms.ts'
import { JwtProblem } from '../jwt/foreign-jwt.ts'
import { bindingOf, certificateThumbprint } from '../tokens/confirmation.ts'
import type { PresentedToken, TokenBinding, TokenClaims } from '../types.ts'

/** The parameter of challenges that names the algorithms of proofs. */
const ALGORITHMS = `algs="${KEY_PAIR_ALGORITHMS.join(' ')}"`

/** Why a token is refused for its binding. */
export type BindingFailure = { error: 'invalid_token' | 'invalid_dpop_proof'; reason: string }

/** The token in `Authorization` with the scheme Bearer or DPoP; null without one. */
export function presentedToken(authorization: string | undefined): PresentedToken | null {
  const read = readAuthorization(authorization)
  if (read === null || read.credentials === '') return null
  return read.scheme === 'bearer' || read.scheme === 'dpop' ? { scheme: read.scheme, token: read.credentials } : null
}

/** Checks that the sender may use the token. */
export async function checkBinding(
  claims: TokenClaims,
  { scheme, token }: PresentedToken,
  request: FastifyRequest,
  issuer: Issuer,
  svc: Pick<Svc, 'http' | 'pki'>,
): Promise<{ binding: TokenBinding | null } | BindingFailure> {
  const { jkt, 'x5t#S256': x5t } = bindingOf(claims)
  if (jkt === undefined && scheme === 'dpop') return refused('token not bound')
  if (x5t !== undefined) {
    const presented = svc.pki.clientCertificate(request)
    if (presented.state !== 'valid') return refused('the token is bound to a certificate, which is missing')
    if (certificateThumbprint(presented.certificate) !== x5t)
      return refused('the token is bound to another certificate')
  }
  if (jkt === undefined) return { binding: x5t === undefined ? null : { type: 'mtls', 'x5t#S256': x5t } }
  if (scheme !== 'dpop') return refused('the token is bound to a key and needs the scheme DPoP')
  try {
    const proof = await readProof({ request, issuer, token }, svc)
    if (proof === null) return badProof('the DPoP proof is missing')
    return proof.jkt === jkt ? { binding: { type: 'dpop', jkt } } : refused('the token is bound to another key')
  } catch (error) {
    if (error instanceof JwtProblem) return badProof(`the DPoP proof ${error.message}`)
    throw error
  }
}

function refused(reason: string): BindingFailure {
  return { error: 'invalid_token', reason }
}

function badProof(reason: string): BindingFailure {
  return { error: 'invalid_dpop_proof', reason }
}

/** The challenge for a refused token (RFC 6750, 3; RFC 9449, 7.1). */
export function challengeFor(isDpop: boolean, { error, reason }: { error: string; reason: string }): string {
  const parameters = `realm="svc", error="${error}", error_description="${reason}"`
  return isDpop ? `DPoP ${parameters}, ${ALGORITHMS}` : `Bearer ${parameters}`
}
