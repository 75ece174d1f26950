/** Checks `max_age` (OpenID Connect Core, 3.1.2.1). Every request asks for a new login, so any age is satisfied. */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_request` unless the value consists of digits. */
export const checkMaxAge: Check = ({ parameters }) => {
  if (!/^\d{1,15}$/.test(parameters.get('max_age') ?? '0'))
    throw new OAuthError('invalid_request', 'max_age must be a number of seconds')
}
