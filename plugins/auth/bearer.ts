/** 401 responses with a Bearer challenge (RFC 6750, 3). */
import type { HttpError } from 'svc/plugin'
import { unauthenticated } from './outcome.ts'

const CHALLENGE = 'Bearer realm="svc"'

/** The 401 for a request without a token. Its challenge has no `error` (RFC 6750, 3.1). */
export function missingToken(): HttpError {
  return unauthenticated('unauthorized: no Bearer token', CHALLENGE)
}

/** The 401 for an invalid token. `reason` must be ASCII without quotes. */
export function invalidToken(reason: string): HttpError {
  return unauthenticated(
    `invalid_token: ${reason}`,
    `${CHALLENGE}, error="invalid_token", error_description="${reason}"`,
  )
}
