/** The `response_mode` of an authorization request (OAuth 2.0 Multiple Response Types, 2.1; Form Post Response Mode). */
import { OAuthError } from '../errors.ts'
import { RESPONSE_MODES } from './authorization-request.ts'
import type { Check, ResponseMode } from './authorization-request.ts'

/** The mode of that name, null when unknown; `query` when none is named. */
export function findResponseMode(name = 'query'): ResponseMode | null {
  return RESPONSE_MODES.find(mode => mode === name) ?? null
}

/** Throws `invalid_request` for an unknown one. */
export const checkResponseMode: Check = request => {
  const mode = findResponseMode(request.parameters.get('response_mode'))
  if (mode === null) throw new OAuthError('invalid_request', 'response_mode must be query or form_post')
  request.responseMode = mode
}
