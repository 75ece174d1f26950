/** Owns reading access tokens for agents that require one (RFC 6750, RFC 9068). */
import { readBearerToken } from 'svc/toolkit'
import type { Call } from './call.ts'
import { A2aError } from '../protocol/errors.ts'
import type { JsonObject } from '../types.ts'
import type {} from '../../identity/types.ts'

export interface Credential {
  /** Claims of a valid token, otherwise null. */
  claims: JsonObject | null
  /** Whether the request has credentials that are not a valid token. */
  isRefused: boolean
}

/** Verifies the token of a request: an unexpired access token, signed with RS256 by the built-in provider. */
export async function readCredential({ a2a, request }: Call): Promise<Credential> {
  const { authorization } = request.headers
  const token = readBearerToken(authorization)
  const verification =
    token === null
      ? undefined
      : await a2a.svc.use('identity.tokens')?.verify(token, { algorithms: ['RS256'], typ: 'at+jwt' })
  if (verification?.valid) return { claims: verification.claims, isRefused: false }
  return { claims: null, isRefused: (authorization?.trim() ?? '') !== '' }
}

/** The error with status 401 and a challenge (RFC 6750, 3). */
export function unauthenticated({ isRefused }: Pick<Credential, 'isRefused'>): A2aError {
  const challenge = `Bearer realm="svc-a2a"${isRefused ? ', error="invalid_token"' : ''}`
  return new A2aError('UNAUTHENTICATED', isRefused ? 'the access token is not valid' : 'an access token is required', {
    headers: { 'WWW-Authenticate': challenge },
  })
}
