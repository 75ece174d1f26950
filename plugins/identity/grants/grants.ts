/** The token endpoint (RFC 6749, 3.2): runs the checks in order, then the grant handler. */
import type { Binding } from '../binding/binding.ts'
import type { Client } from '../clients/clients.ts'
import { OAuthError } from '../errors.ts'
import { required } from '../requests/parameters.ts'
import type { Parameters } from '../requests/parameters.ts'
import { checkResources } from '../requests/resource.ts'
import type { TokenIssuer, TokenResponse } from '../tokens/token-response.ts'
import { authorizationCode } from './authorization-code.ts'
import { clientCredentials } from './client-credentials.ts'
import type { GrantHandler, GrantRequest } from './grant-request.ts'
import { deviceCode } from './device-code.ts'
import { DEVICE_CODE, isGrantType, JWT_BEARER, TOKEN_EXCHANGE } from './grant-types.ts'
import type { GrantType } from './grant-types.ts'
import { jwtBearer, workloadClient } from './jwt-bearer.ts'
import { password } from './password.ts'
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
  const workload = grantType === JWT_BEARER ? await workloadClient(parameters, issuer) : null
  const client = workload ?? (await authenticate())
  // The settings say which client workloads are.
  if (workload === null && !client.grantTypes.includes(grantType))
    throw new OAuthError('unauthorized_client', 'the client may not use this grant_type')
  const resources = checkResources(parameters.getAll('resource'))
  const binding = await bind(client)
  return GRANTS[grantType]({ parameters, client, resources, issuer, url, binding, verify, issuers })
}
