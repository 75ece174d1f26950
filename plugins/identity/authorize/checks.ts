/** The checks of an authorization request, in order (RFC 6749, 4.1.2.1). */
import { OAuthError } from '../errors.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { AuthorizationRequest, Check } from './authorization-request.ts'
import { checkClient } from './check-client.ts'
import { checkDpopKey } from './check-dpop-key.ts'
import { checkGrantType } from './check-grant-type.ts'
import { checkLogin } from './check-login.ts'
import { checkMaxAge } from './check-max-age.ts'
import { checkNonce } from './check-nonce.ts'
import { checkPkce } from './check-pkce.ts'
import { checkPrompt } from './check-prompt.ts'
import { checkRedirectUri } from './check-redirect-uri.ts'
import { checkRequestObject } from './check-request-object.ts'
import { checkRequired } from './check-required.ts'
import { checkResource } from './check-resource.ts'
import { checkResponseMode, findResponseMode } from './check-response-mode.ts'
import { checkResponseType } from './check-response-type.ts'
import { checkScope } from './check-scope.ts'
import { checkState } from './check-state.ts'
import type { ReceivedRequest } from './received-request.ts'

/**
 * Their errors are sent to the redirect URI. Client and redirect URI are checked before; their errors are shown on a
 * page.
 */
const CHECKS: readonly Check[] = [
  checkState,
  checkResponseMode,
  checkRequestObject,
  checkRequired,
  checkResponseType,
  checkGrantType,
  checkScope,
  checkResource,
  checkNonce,
  checkPkce,
  checkDpopKey,
  checkMaxAge,
  checkLogin,
  checkPrompt,
]

/** A request with a valid redirect URI, and the first error of the other checks, or null. */
export interface CheckedRequest {
  request: AuthorizationRequest
  error: OAuthError | null
}

/** Runs the checks. Throws an OAuth error to be shown on a page if the client or the redirect URI is not valid. */
export async function checkAuthorizationRequest(
  received: ReceivedRequest,
  issuer: Issuer,
  url: string,
  asks: AuthorizationRequest['asks'],
): Promise<CheckedRequest> {
  const { parameters } = received
  const client = await checkClient(parameters, issuer.findClient, url)
  const request: AuthorizationRequest = {
    issuer,
    asks,
    received,
    parameters,
    client,
    redirectUri: checkRedirectUri(parameters, client),
    isRedirectUriGiven: parameters.has('redirect_uri'),
    state: undefined,
    // Errors of checks that run before the check of the mode use the requested mode, too.
    responseMode: findResponseMode(parameters.get('response_mode')) ?? 'query',
    scope: [],
    resources: [],
    nonce: undefined,
    challenge: null,
    dpopJkt: undefined,
    loginVariant: issuer.settings.login.variant,
  }
  try {
    for (const check of CHECKS) check(request)
    return { request, error: null }
  } catch (error) {
    if (error instanceof OAuthError) return { request, error }
    throw error
  }
}
