/** Checks the `response_type` of an authorization request (RFC 6749, 3.1.1). */
import { OAuthError } from '../errors.ts'
import { required } from '../requests/parameters.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_request` when it is missing, `unsupported_response_type` for values other than `code`. */
export const checkResponseType: Check = ({ parameters }) => {
  if (required(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
}
