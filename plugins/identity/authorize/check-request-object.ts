/**
 * Rejects parameters that are not supported (OpenID Connect Core, 3.1.2.6). Issuers by path have replaced `request` and
 * `request_uri` by their parameters before.
 */
import { OAuthError } from '../errors.ts'
import type { OAuthErrorCode } from '../errors.ts'
import type { Check } from './authorization-request.ts'

const UNSUPPORTED: readonly [string, OAuthErrorCode][] = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
]

/** Throws the error that the standard defines for the parameter. */
export const checkRequestObject: Check = ({ parameters }) => {
  for (const [name, error] of UNSUPPORTED) {
    if (parameters.has(name)) throw new OAuthError(error, `${name} is not supported`)
  }
}
