/** The grant `client_credentials` (RFC 6749, 4.4). */
import { DEFAULT_CLIENT_SCOPE } from '../requests/scope.ts'
import { issueTokens } from '../tokens/token-response.ts'
import { firstNonEmpty, requestedScope } from './grant-request.ts'
import type { GrantHandler } from './grant-request.ts'

/** Issues an access token without a refresh token (RFC 6749, 4.4.3); throws `invalid_scope`. */
export const clientCredentials: GrantHandler = async request => {
  const { parameters, client, resources } = request
  const scope = firstNonEmpty(requestedScope(parameters), client.scope, DEFAULT_CLIENT_SCOPE)
  return issueTokens({ client, login: null, scope, resources }, request)
}
