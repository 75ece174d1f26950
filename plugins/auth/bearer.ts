/** 401 responses with a Bearer challenge (RFC 6750, 3). */
import type { HttpError } from 'svc/plugin'
import { unauthenticated } from './outcome.ts'

const CHALLENGE = 'Bearer realm="svc"'

/** The 401 for a request without a token. Its challenge has no `error` (RFC 6750, 3.1). */
export function missingToken(): HttpError {
  return unauthenticated('unauthorized: no Bearer token', CHALLENGE)
}
