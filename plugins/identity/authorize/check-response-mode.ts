/** Checks `response_mode` (OAuth 2.0 Multiple Response Types, 2.1; Form Post Response Mode). */
import { OAuthError } from '../errors.ts'
import { RESPONSE_MODES } from './authorization-request.ts'
import type { Check, ResponseMode } from './authorization-request.ts'

/** Finds a mode by name; `query` if absent, null if unknown. */
export function findResponseMode(name = 'query'): ResponseMode | null {
  return RESPONSE_MODES.find(mode => mode === name) ?? null
}

/** Throws `invalid_request` for an unknown mode. */
export const checkResponseMode: Check = request => {
  const mode = findResponseMode(request.parameters.get('response_mode'))
  if (mode === null) throw new OAuthError('invalid_request', 'response_mode must be query or form_post')
  request.responseMode = mode
}
