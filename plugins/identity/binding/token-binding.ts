/** Determines to what the tokens of a request are bound (RFC 9449, 5; RFC 8705, 3). */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { isRequired } from '../accounts/clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { JwtProblem } from '../jwt/foreign-jwt.ts'
import { OAuthError } from '../oauth/errors.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { Binding, Client } from '../stores/records.ts'
import { certificateThumbprint } from '../tokens/confirmation.ts'
import type { DpopNonces } from './dpop-nonces.ts'
import { readProof } from './dpop-proof.ts'

/** A request that may bind tokens. */
export interface BindingRequest {
  issuer: Issuer
  request: FastifyRequest
  reply: FastifyReply
}

/** Reads proofs and certificates at the endpoints of issuers. */
export interface TokenBinder {
  /** The key of the proof, if the request has one; throws `invalid_dpop_proof` or `use_dpop_nonce`. */
  proofKey(asked: BindingRequest, client: Client): Promise<string | undefined>
  /** To what the tokens for a client are bound; throws also for a client or an issuer that requires a binding. */
  bind(asked: BindingRequest, client: Client): Promise<Binding>
}

/** Opens the binder. */
export function createTokenBinder(svc: Pick<Svc, 'http' | 'pki'>, nonces: DpopNonces): TokenBinder {
  async function proofKey({ issuer, request, reply }: BindingRequest, client: Client): Promise<string | undefined> {
    // The default issuer has always ignored the header.
    if (issuer.name === DEFAULT_ISSUER && !isRequired('dpop', issuer, client)) return undefined
    try {
      const proof = await readProof({ request, issuer, token: null }, svc)
      if (proof === null) return undefined
      if (issuer.settings.dpop.nonce) {
        const next = await nonces.next(issuer.name)
        if (proof.nonce === undefined || !(await nonces.isCurrent(proof.nonce, issuer.name)))
          throw new OAuthError('use_dpop_nonce', 'the DPoP proof needs the nonce of the header DPoP-Nonce', {
            headers: { 'DPoP-Nonce': next },
          })
        reply.header('DPoP-Nonce', next)
      }
      return proof.jkt
    } catch (error) {
      throw error instanceof JwtProblem
        ? new OAuthError('invalid_dpop_proof', `the DPoP proof ${error.message}`)
        : error
    }
  }

  return {
    proofKey,
    async bind(asked, client) {
      const { issuer, request } = asked
      const jkt = await proofKey(asked, client)
      const needs = { dpop: isRequired('dpop', issuer, client), mtls: isRequired('mtls', issuer, client) }
      const presented = needs.mtls ? svc.pki.clientCertificate(request) : undefined
      const isOwn = client.require?.includes('mtls') === true
      // An issuer that requires both is satisfied by either.
      const isEither = needs.dpop && needs.mtls && !isOwn && client.require?.includes('dpop') !== true
      if (needs.dpop && jkt === undefined && !(isEither && presented?.state === 'valid'))
        throw new OAuthError('invalid_dpop_proof', 'the request needs a DPoP proof')
      if (presented === undefined || (isEither && jkt !== undefined)) return jkt === undefined ? {} : { jkt }
      if (presented.state !== 'valid')
        throw new OAuthError('invalid_request', 'the request needs a client certificate of the demo CA')
      return { ...(jkt !== undefined && { jkt }), 'x5t#S256': certificateThumbprint(presented.certificate) }
    },
  }
}
