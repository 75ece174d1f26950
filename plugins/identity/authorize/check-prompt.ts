/** The `prompt` of an authorization request (OpenID Connect Core, 3.1.2.1). There is no session: the form is always shown. */
import { OAuthError } from '../errors.ts'
import type { Check } from './authorization-request.ts'

/** Throws `login_required` for `none`, `invalid_request` for `none` beside others. */
export const checkPrompt: Check = ({ parameters }) => {
  const prompts = (parameters.get('prompt') ?? '').split(' ').filter(prompt => prompt !== '')
  if (!prompts.includes('none')) return
  if (prompts.length > 1) throw new OAuthError('invalid_request', 'prompt none stands alone')
  throw new OAuthError('login_required', 'nobody is logged in and prompt none forbids to ask')
}
