/** Checks `prompt` (OpenID Connect Core, 3.1.2.1). There are no login sessions: every request shows the form. */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `login_required` for `none`, and `invalid_request` for `none` combined with other values. */
export const checkPrompt: Check = ({ parameters }) => {
  const prompts = (parameters.get('prompt') ?? '').split(' ').filter(prompt => prompt !== '')
  if (!prompts.includes('none')) return
  if (prompts.length > 1) throw new OAuthError('invalid_request', 'prompt=none cannot be combined with other values')
  throw new OAuthError('login_required', 'prompt=none requires a login session, which this server does not have')
}
