/** The checks of an authorization request, in their order (RFC 6749, 4.1.2.1). */
import type { Store } from 'svc/plugin'
import type { Client } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../requests/parameters.ts'
import type { AuthorizationRequest, Check } from './authorization-request.ts'
import { checkClient } from './check-client.ts'
import { checkGrantType } from './check-grant-type.ts'
import { checkMaxAge } from './check-max-age.ts'
import { checkNonce } from './check-nonce.ts'
import { checkPkce } from './check-pkce.ts'
import { checkPrompt } from './check-prompt.ts'
import { checkRedirectUri } from './check-redirect-uri.ts'
import { checkRequestObject } from './check-request-object.ts'
import { checkResource } from './check-resource.ts'
import { checkResponseMode, findResponseMode } from './check-response-mode.ts'
import { checkResponseType } from './check-response-type.ts'
import { checkScope } from './check-scope.ts'
import { checkState } from './check-state.ts'

/** What they find wrong is sent to the redirect URI. What is wrong with the client or that URI comes before, on a page. */
const CHECKS: readonly Check[] = [
  checkState,
  checkResponseMode,
  checkRequestObject,
  checkResponseType,
  checkGrantType,
  checkScope,
  checkResource,
  checkNonce,
  checkPkce,
  checkMaxAge,
  checkPrompt,
]

/** A request whose redirect URI is good, and the first thing that is wrong with the rest; null when nothing is. */
export interface CheckedRequest {
  request: AuthorizationRequest
  error: OAuthError | null
}

/** Runs the checks; throws an OAuth error for a page when client or redirect URI are wrong. */
export async function checkAuthorizationRequest(
  parameters: Parameters,
  registered: Store<Client>,
): Promise<CheckedRequest> {
  const client = await checkClient(parameters, registered)
  const request: AuthorizationRequest = {
    parameters,
    client,
    redirectUri: checkRedirectUri(parameters, client),
    isRedirectUriGiven: parameters.has('redirect_uri'),
    state: undefined,
    // Errors found before the mode is checked go the way that the client understands.
    responseMode: findResponseMode(parameters.get('response_mode')) ?? 'query',
    scope: [],
    resources: [],
    nonce: undefined,
    challenge: null,
  }
  try {
    for (const check of CHECKS) check(request)
    return { request, error: null }
  } catch (error) {
    if (error instanceof OAuthError) return { request, error }
    throw error
  }
}
