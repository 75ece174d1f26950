/** What is wrong with a bearer token, as challenges say it (RFC 6750, 3). */
import type { HttpError } from 'svc/plugin'
import { unauthenticated } from './outcome.ts'

const CHALLENGE = 'Bearer realm="svc"'

/** The 401 of a request without a token: the challenge names no error. */
export function missingToken(): HttpError {
  return unauthenticated('unauthorized: no Bearer token', CHALLENGE)
}

/** The 401 of a token that fails; `reason` is ASCII without quotes. */
export function invalidToken(reason: string): HttpError {
  return unauthenticated(
    `invalid_token: ${reason}`,
    `${CHALLENGE}, error="invalid_token", error_description="${reason}"`,
  )
}
