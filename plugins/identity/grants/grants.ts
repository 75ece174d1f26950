/** The token endpoint (RFC 6749, 3.2): runs the checks in order, then the grant handler. */
import { loginOf } from '../login/login.ts'
import { OAuthError } from '../oauth/errors.ts'
import { DEVICE_CODE, type GrantType, isGrantType, JWT_BEARER, TOKEN_EXCHANGE } from '../oauth/grant-types.ts'
import { type Parameters, required } from '../oauth/parameters.ts'
import { checkResources } from '../oauth/resource.ts'
import { DEFAULT_CLIENT_SCOPE, firstNonEmpty, requestedScope, userScope } from '../oauth/scope.ts'
import type { Binding, Client } from '../stores/records.ts'
import { issueTokens, type TokenIssuer, type TokenResponse } from '../tokens/token-response.ts'
import { authorizationCode } from './authorization-code.ts'
import { deviceCode } from './device-code.ts'
import { type GrantHandler, type GrantRequest, issueUserTokens } from './grant-request.ts'
import { jwtBearer, workloadClient } from './jwt-bearer.ts'
import { refreshToken } from './refresh-token.ts'
import { tokenExchange } from './token-exchange.ts'

const GRANTS: Record<GrantType, GrantHandler> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  password,
  [TOKEN_EXCHANGE]: tokenExchange,
  [DEVICE_CODE]: deviceCode,
  [JWT_BEARER]: jwtBearer,
}

/** A request to the token endpoint of an issuer. */
export interface TokenRequest extends Omit<TokenIssuer, 'binding'> {
  parameters: Parameters
  /** Authenticates the client; throws `invalid_client`. */
  authenticate(): Promise<Client>
  /** To what the tokens for the client are bound; throws `invalid_dpop_proof`. */
  bind(client: Client): Promise<Binding>
  verify: GrantRequest['verify']
  issuers: GrantRequest['issuers']
}

/** Issues tokens, or throws the OAuth error of the first check that fails. */
export async function grantTokens({
  parameters,
  authenticate,
  bind,
  issuer,
  url,
  verify,
  issuers,
}: TokenRequest): Promise<TokenResponse> {
  const grantType = required(parameters, 'grant_type')
  if (!isGrantType(grantType) || !issuer.settings.grants.includes(grantType))
    throw new OAuthError('unsupported_grant_type', 'this grant_type is not supported')
  const workload = grantType === JWT_BEARER ? await workloadClient(parameters, issuer, url) : null
  const client = workload ?? (await authenticate())
  // The settings say which client workloads are.
  if (workload === null && !client.grantTypes.includes(grantType))
    throw new OAuthError('unauthorized_client', 'the client may not use this grant_type')
  const resources = checkResources(parameters.getAll('resource'))
  const binding = await bind(client)
  return GRANTS[grantType]({ parameters, client, resources, issuer, url, binding, verify, issuers })
}

/** The grant `password` (RFC 6749, 4.3); throws `invalid_request` for missing and `invalid_grant` for wrong credentials. */
async function password(request: GrantRequest): Promise<TokenResponse> {
  const { parameters, client, resources, issuer } = request
  const username = required(parameters, 'username')
  const secret = required(parameters, 'password')
  const scope = userScope(parameters, client)
  const user = issuer.users.logIn(username, secret)
  if (user === null) throw new OAuthError('invalid_grant', 'wrong user name or password')
  if (user.mfa === true) throw new OAuthError('invalid_grant', 'the user must log in on a page, with a one-time code')
  return issueUserTokens({ client, login: loginOf(user, false), scope, resources }, request)
}

/** The grant `client_credentials`: an access token without a refresh token (RFC 6749, 4.4.3); throws `invalid_scope`. */
async function clientCredentials(request: GrantRequest): Promise<TokenResponse> {
  const { parameters, client, resources } = request
  const scope = firstNonEmpty(requestedScope(parameters), client.scope, DEFAULT_CLIENT_SCOPE)
  return issueTokens({ client, login: null, scope, resources }, request)
}
