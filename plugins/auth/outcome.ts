/** How a check answers: what it found, or why it refuses. */
import { HttpError } from 'svc/plugin'

/** What a check found; members that do not apply are absent. */
export interface Authenticated {
  authenticated: true
  auth_type: 'basic-auth' | 'api-key' | 'jwt' | 'hmac' | 'mtls'
  username?: string
  header?: string
  source?: 'tls' | 'header'
  claims?: Record<string, unknown>
  jwt_header?: Record<string, unknown>
  exchanged_token?: string
  client_dn?: string
  client_ca?: string
}

/** A refusal: 401 `{"authenticated": false, "error": "..."}` with `challenge` as `WWW-Authenticate`, and `more` in the body. */
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

/** The 400 of a request that can't be checked at all. */
export function badRequest(error: string): HttpError {
  return new HttpError(400, { authenticated: false, error })
}

/** What the descriptions of all checks say about their answers. */
export const RESPONSES = {
  200: { description: '`authenticated` true, `auth_type`, and what was found' },
  401: { description: '`authenticated` false and the reason in `error`' },
}
