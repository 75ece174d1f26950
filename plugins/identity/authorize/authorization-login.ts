/** The login of an authorization request: what it is for, and how it ends. */
import { randomBytes } from 'node:crypto'
import { type FastifyReply, StateUnavailable } from 'svc/plugin'
import { askQuery } from '../faults/hostile.ts'
import type { LoginPurpose } from '../login/log-in.ts'
import type { LoginSubject } from '../login/login-page.ts'
import { beginSession } from '../login/sessions.ts'
import type { LoginStep } from '../login/steps.ts'
import { TEMPORARILY_UNAVAILABLE } from '../oauth/errors.ts'
import { type Parameters, parametersOf } from '../oauth/parameters.ts'
import type { Login } from '../stores/records.ts'
import { type AuthorizationRequest, type ReceivedRequest, REQUEST_PARAMETERS } from './authorization-request.ts'
import { type AuthorizationResult, sendToClient } from './authorization-response.ts'
import { usePushed } from './pushed-requests.ts'

/** Whether the login page sent this form; otherwise it is an authorization request. */
export function isLoginForm(parameters: Parameters): boolean {
  return parameters.has('username') || parameters.has('password') || parameters.has('action')
}

/** The purpose of a login for a checked request. A pushed request is used up by the approval. */
export function authorizationPurpose(request: AuthorizationRequest, url: string, reply: FastifyReply): LoginPurpose {
  const { parameters, received } = request
  const { isPushed, isSigned, requestUri } = received
  const answer = (result: AuthorizationResult): FastifyReply => sendToClient(reply, request, url, result)
  return {
    subject: loginSubject(request),
    variant: request.loginVariant,
    acrValues: parameters.get('acr_values'),
    loginHint: parameters.get('login_hint'),
    state: {
      kind: 'authorize',
      parameters: REQUEST_PARAMETERS.flatMap(name => parameters.getAll(name).map(value => [name, value] as const)),
      isPushed,
      isSigned,
      requestUri,
    },
    async approve(login, scope): Promise<FastifyReply> {
      const result = await issueCode(request, login, scope, url).catch((error: unknown) => {
        if (error instanceof StateUnavailable) return TEMPORARILY_UNAVAILABLE
        throw error
      })
      return answer(result)
    },
    refuse: async (error, error_description): Promise<FastifyReply> => answer({ error, error_description }),
  }
}

/** The request of a step, as it was received first. */
export function receivedAgain({ purpose }: LoginStep): ReceivedRequest {
  if (purpose.kind !== 'authorize') throw new TypeError('not a step of an authorization request')
  const { parameters, isPushed, isSigned, requestUri } = purpose
  return { parameters: parametersOf(parameters), isPushed, isSigned, requestUri, carried: [] }
}

async function issueCode(
  request: AuthorizationRequest,
  login: Login,
  scope: readonly string[],
  url: string,
): Promise<AuthorizationResult> {
  const { issuer, received, client, redirectUri, isRedirectUriGiven, resources, nonce, challenge, dpopJkt } = request
  if (received.requestUri !== null) await usePushed(received.requestUri, issuer.stores.pushedRequests)
  const code = randomBytes(32).toString('base64url')
  await issuer.stores.codes.set(
    code,
    {
      clientId: client.id,
      redirectUri,
      isRedirectUriGiven,
      login: await beginSession(login, client.id, issuer, url),
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

/** The subject of an authorization request. */
export function loginSubject(request: AuthorizationRequest): LoginSubject {
  const { client, issuer, parameters, received, scope, asks } = request
  return {
    issuer,
    client,
    scope,
    action: `authorize${askQuery(asks)}`,
    hidden: received.carried,
    username: parameters.get('login_hint'),
  }
}
