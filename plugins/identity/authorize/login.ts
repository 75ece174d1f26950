/** Handles the submitted login form: issues a code, denies the request, or reports wrong credentials. */
import { randomBytes } from 'node:crypto'
import type { Parameters } from '../requests/parameters.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { usePushed } from './pushed-requests.ts'
import type { AuthorizationResult } from './authorization-response.ts'

/** Whether the login page sent this form; otherwise it is an authorization request. */
export function isLoginForm(parameters: Parameters): boolean {
  return parameters.has('username') || parameters.has('password') || parameters.has('action')
}

/**
 * The result for the client; null if the user name or password in the form is wrong. Denying needs no credentials. A
 * pushed request is used up.
 */
export async function handleLogin(
  request: AuthorizationRequest,
  form: Parameters,
): Promise<AuthorizationResult | null> {
  const { received, issuer } = request
  if (form.get('action') === 'deny') return { error: 'access_denied', error_description: 'the user denied the request' }
  const user = issuer.users.logIn(form.get('username') ?? '', form.get('password') ?? '')
  if (user === null) return null
  if (received.requestUri !== null) await usePushed(received.requestUri, issuer.stores.pushedRequests)
  const code = randomBytes(32).toString('base64url')
  const { client, redirectUri, isRedirectUriGiven, scope, resources, nonce, challenge, dpopJkt } = request
  const login = { user, authTime: Math.floor(Date.now() / 1000) }
  await issuer.stores.codes.set(
    code,
    {
      clientId: client.id,
      redirectUri,
      isRedirectUriGiven,
      login,
      scope,
      resources,
      nonce,
      challenge,
      ...(dpopJkt !== undefined && { dpopJkt }),
    },
    { ttlMs: issuer.settings.code_ttl * 1000 },
  )
  return { code }
}
