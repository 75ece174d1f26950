/** The decision of the person at the login form: a code, a refusal, or the form again. */
import { randomBytes } from 'node:crypto'
import type { Store } from 'svc/plugin'
import type { AuthorizationCode } from '../grants/authorization-code.ts'
import type { Parameters } from '../requests/parameters.ts'
import { logIn } from '../users/users.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { AuthorizationResult } from './authorization-response.ts'

/** Whether a form is one that the login page sent; else it is an authorization request like any other. */
export function isLoginForm(parameters: Parameters): boolean {
  return parameters.has('username') || parameters.has('password') || parameters.has('action')
}

/** What the client is to be told; null when user name or password are wrong. Denying needs neither. */
export async function decide(
  request: AuthorizationRequest,
  codes: Store<AuthorizationCode>,
): Promise<AuthorizationResult | null> {
  const { parameters } = request
  if (parameters.get('action') === 'deny')
    return { error: 'access_denied', error_description: 'the request was denied' }
  const user = logIn(parameters.get('username') ?? '', parameters.get('password') ?? '')
  if (user === null) return null
  const code = randomBytes(32).toString('base64url')
  const { client, redirectUri, isRedirectUriGiven, scope, resources, nonce, challenge } = request
  const login = { user, authTime: Math.floor(Date.now() / 1000) }
  await codes.set(code, {
    clientId: client.id,
    redirectUri,
    isRedirectUriGiven,
    login,
    scope,
    resources,
    nonce,
    challenge,
  })
  return { code }
}
