/** Response bodies of the checks: the identity they found, or the reason for the rejection. */
import { HttpError } from 'svc/plugin'
import type { TokenBinding } from '../identity/types.ts'

/** The body of a successful check. Members that do not apply are absent. */
export interface Authenticated {
  authenticated: true
  auth_type: 'basic-auth' | 'api-key' | 'jwt' | 'hmac' | 'mtls'
  username?: string
  header?: string
  source?: 'tls' | 'header'
  /** Name of the issuer of a token, if the request asked for one. */
  issuer?: string
  /** To what a token is bound. */
  binding?: TokenBinding
  claims?: Record<string, unknown>
  jwt_header?: Record<string, unknown>
  exchanged_token?: string
  client_dn?: string
  client_ca?: string
}

/** A 401 `{"authenticated": false, "error": "..."}` with `challenge` as `WWW-Authenticate` and `more` in the body. */
export function unauthenticated(
  error: string,
  challenge: string | null,
  more: Record<string, unknown> = {},
): HttpError {
  return new HttpError(
    401,
    { authenticated: false, error, ...more },
    challenge === null ? {} : { 'WWW-Authenticate': challenge },
  )
}

/** The 400 for a request that can't be checked. */
export function badRequest(error: string): HttpError {
  return new HttpError(400, { authenticated: false, error })
}

/** The responses that all checks have in common, for their route descriptions. */
export const RESPONSES = {
  200: { description: '`authenticated: true`, `auth_type`, and the identity' },
  401: { description: '`authenticated: false` and the reason in `error`' },
}
