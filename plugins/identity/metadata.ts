/** The metadata documents of this provider (RFC 8414; OpenID Connect Discovery, 3). */
import { RESPONSE_MODES } from './authorize/authorization-request.ts'
import { AUTH_METHODS } from './clients/client-metadata.ts'
import { GRANT_TYPES } from './grants/grant-types.ts'
import { CHALLENGE_METHODS } from './requests/pkce.ts'
import { DEFAULT_USER_SCOPE } from './requests/scope.ts'

/** Authorization server metadata (RFC 8414, 2) for an issuer without a trailing slash. */
export function serverMetadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/oauth/jwks`,
    registration_endpoint: `${issuer}/oauth/register`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: RESPONSE_MODES,
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: CHALLENGE_METHODS,
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    introspection_endpoint_auth_methods_supported: AUTH_METHODS.filter(method => method !== 'none'),
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    scopes_supported: DEFAULT_USER_SCOPE,
    authorization_response_iss_parameter_supported: true,
  }
}

/** The same with the members that OpenID Connect adds (Discovery, 3). */
export function openidConfiguration(issuer: string): Record<string, unknown> {
  return {
    ...serverMetadata(issuer),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'jti',
      'azp',
      'auth_time',
      'nonce',
      'at_hash',
      'name',
      'preferred_username',
      'email',
      'email_verified',
      'groups',
    ],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // Required, because the default is true.
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  }
}
