/** The checks of an authorization request, in order (RFC 6749, 4.1.2.1). */
import { isRequired } from '../accounts/clients.ts'
import { JKT } from '../binding/dpop-proof.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { OAuthError, type OAuthErrorCode } from '../oauth/errors.ts'
import { required } from '../oauth/parameters.ts'
import { checkResources } from '../oauth/resource.ts'
import { userScope } from '../oauth/scope.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import { LOGIN_PARAMETER, LOGIN_VARIANTS } from '../settings/login-settings.ts'
import {
  type AuthorizationRequest,
  type Check,
  type ReceivedRequest,
  RESPONSE_MODES,
  type ResponseMode,
} from './authorization-request.ts'
import { checkClient } from './check-client.ts'
import { checkPkce } from './check-pkce.ts'
import { checkRedirectUri } from './check-redirect-uri.ts'

const MAX_STATE_CHARACTERS = 2048
const UNSUPPORTED: readonly [string, OAuthErrorCode][] = [
  ['request', 'request_not_supported'],
  ['request_uri', 'request_uri_not_supported'],
  ['registration', 'registration_not_supported'],
]
const MAX_NONCE_CHARACTERS = 512

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

/** The `state` (RFC 6749, 4.1.1), which is returned unchanged unless it is too long. */
function checkState(request: AuthorizationRequest): void {
  const state = request.parameters.get('state')
  if (state !== undefined && state.length > MAX_STATE_CHARACTERS)
    throw new OAuthError('invalid_request', `state must have at most ${MAX_STATE_CHARACTERS} characters`)
  request.state = state
}

/** Finds a mode by name; `query` if absent, null if unknown. */
function findResponseMode(name = 'query'): ResponseMode | null {
  return RESPONSE_MODES.find(mode => mode === name) ?? null
}

/** The `response_mode` (OAuth 2.0 Multiple Response Types, 2.1; Form Post Response Mode). */
function checkResponseMode(request: AuthorizationRequest): void {
  const mode = findResponseMode(request.parameters.get('response_mode'))
  if (mode === null) throw new OAuthError('invalid_request', 'response_mode must be query or form_post')
  request.responseMode = mode
}

/**
 * Parameters that are not supported have errors of their own (OpenID Connect Core, 3.1.2.6). Issuers by path have replaced
 * `request` and `request_uri` by their parameters before.
 */
function checkRequestObject({ parameters }: AuthorizationRequest): void {
  for (const [name, error] of UNSUPPORTED) {
    if (parameters.has(name)) throw new OAuthError(error, `${name} is not supported`)
  }
}

/** The request must come as the issuer or the client requires (RFC 9126, 4; RFC 9101, 10.5). */
function checkRequired({ issuer, client, received }: AuthorizationRequest): void {
  if (isRequired('par', issuer, client) && !received.isPushed)
    throw new OAuthError('invalid_request', 'the request must be pushed')
  if (isRequired('jar', issuer, client) && !received.isSigned)
    throw new OAuthError('invalid_request', 'the request must be a signed request object')
}

/** The `response_type` (RFC 6749, 3.1.1): missing is `invalid_request`, another one than `code` `unsupported_response_type`. */
function checkResponseType({ parameters }: AuthorizationRequest): void {
  if (required(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
}

/** Issuer and client must support the authorization code grant (RFC 6749, 4.1.2.1; RFC 7591, 2.1). */
function checkGrantType({ issuer, client }: AuthorizationRequest): void {
  if (!issuer.settings.grants.includes('authorization_code') || !client.grantTypes.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'the client may not use the grant type authorization_code')
}

/** The scope (RFC 6749, 3.3); by default the registered one, or `DEFAULT_USER_SCOPE`. */
function checkScope(request: AuthorizationRequest): void {
  request.scope = userScope(request.parameters, request.client)
}

/** The `resource` parameters (RFC 8707, 2.1). */
function checkResource(request: AuthorizationRequest): void {
  request.resources = checkResources(request.parameters.getAll('resource'))
}

/** The `nonce` (OpenID Connect Core, 3.1.2.1). */
function checkNonce(request: AuthorizationRequest): void {
  const nonce = request.parameters.get('nonce')
  if (nonce !== undefined && nonce.length > MAX_NONCE_CHARACTERS)
    throw new OAuthError('invalid_request', `nonce must have at most ${MAX_NONCE_CHARACTERS} characters`)
  request.nonce = nonce
}

/** The key to which the code is bound, `dpop_jkt` (RFC 9449, 10). The default issuer ignores the parameter. */
function checkDpopKey(request: AuthorizationRequest): void {
  const jkt = request.parameters.get('dpop_jkt')
  if (jkt === undefined || request.issuer.name === DEFAULT_ISSUER) return
  if (!JKT.test(jkt)) throw new OAuthError('invalid_request', 'dpop_jkt must be a SHA-256 thumbprint in base64url')
  request.dpopJkt = jkt
}

/** The `max_age` (OpenID Connect Core, 3.1.2.1). Every request asks for a new login, so any age is satisfied. */
function checkMaxAge({ parameters }: AuthorizationRequest): void {
  if (!/^\d{1,15}$/.test(parameters.get('max_age') ?? '0'))
    throw new OAuthError('invalid_request', 'max_age must be a number of seconds')
}

/** The variant of the login: that of the request, else that of the issuer. */
function checkLogin(request: AuthorizationRequest): void {
  const asked = request.parameters.get(LOGIN_PARAMETER)
  if (asked === undefined) return
  const variant = LOGIN_VARIANTS.find(known => known === asked)
  if (variant === undefined)
    throw new OAuthError('invalid_request', `${LOGIN_PARAMETER} must be one of ${LOGIN_VARIANTS.join(', ')}`)
  request.loginVariant = variant
}

/** The `prompt` (OpenID Connect Core, 3.1.2.1). There are no login sessions: every request shows the form. */
function checkPrompt({ parameters }: AuthorizationRequest): void {
  const prompts = (parameters.get('prompt') ?? '').split(' ').filter(prompt => prompt !== '')
  if (!prompts.includes('none')) return
  if (prompts.length > 1) throw new OAuthError('invalid_request', 'prompt=none cannot be combined with other values')
  throw new OAuthError('login_required', 'prompt=none requires a login session, which this server does not have')
}
