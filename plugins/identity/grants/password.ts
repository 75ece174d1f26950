/** The grant `password` (RFC 6749, 4.3). */
import { OAuthError } from '../errors.ts'
import { loginOf } from '../login/login.ts'
import { required } from '../requests/parameters.ts'
import { issueUserTokens, userScope } from './grant-request.ts'
import type { GrantHandler } from './grant-request.ts'

/** Issues tokens for a user; throws `invalid_request` for missing and `invalid_grant` for wrong credentials. */
export const password: GrantHandler = async request => {
  const { parameters, client, resources, issuer } = request
  const username = required(parameters, 'username')
  const secret = required(parameters, 'password')
  const scope = userScope(parameters, client)
  const user = issuer.users.logIn(username, secret)
  if (user === null) throw new OAuthError('invalid_grant', 'wrong user name or password')
  if (user.mfa === true) throw new OAuthError('invalid_grant', 'the user must log in on a page, with a one-time code')
  return issueUserTokens({ client, login: loginOf(user, false), scope, resources }, request)
}
