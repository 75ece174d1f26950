/** Determines the variant of the login: that of the request, else that of the issuer. */
import { OAuthError } from '../errors.ts'
import { LOGIN_PARAMETER, LOGIN_VARIANTS } from '../login/login-settings.ts'
import type { Check } from './authorization-request.ts'

/** Throws `invalid_request` for an unknown variant. */
export const checkLogin: Check = request => {
  const asked = request.parameters.get(LOGIN_PARAMETER)
  if (asked === undefined) return
  const variant = LOGIN_VARIANTS.find(known => known === asked)
  if (variant === undefined)
    throw new OAuthError('invalid_request', `${LOGIN_PARAMETER} must be one of ${LOGIN_VARIANTS.join(', ')}`)
  request.loginVariant = variant
}
