/** Owns the access tokens of agents that ask for one (RFC 6750, RFC 9068). */
import { readBearerToken } from 'svc/plugin'
import type { Call } from './call.ts'
import { A2aError } from './errors.ts'
import type { JsonObject } from './types.ts'
import type {} from '../identity/types.ts'

export interface Credential {
  /** Of a valid token. */
  claims: JsonObject | null
  /** Whether something came that is no valid token. */
  isRefused: boolean
}

/** Reads the token of a request: signed by the provider of this process with RS256, an access token, not expired. */
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

/** 401 with a challenge (RFC 6750, 3). */
export function unauthenticated({ isRefused }: Credential): A2aError {
  const challenge = `Bearer realm="svc-a2a"${isRefused ? ', error="invalid_token"' : ''}`
  return new A2aError('UNAUTHENTICATED', isRefused ? 'the access token is not valid' : 'an access token is required', {
    headers: { 'WWW-Authenticate': challenge },
  })
}
