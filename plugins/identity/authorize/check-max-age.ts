/** The `max_age` of an authorization request (OpenID Connect Core, 3.1.2.1): always kept, since everybody logs in anew. */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_request` for all but digits. */
export const checkMaxAge: Check = ({ parameters }) => {
  if (!/^\d{1,15}$/.test(parameters.get('max_age') ?? '0'))
    throw new OAuthError('invalid_request', 'max_age must be a number of seconds')
}
