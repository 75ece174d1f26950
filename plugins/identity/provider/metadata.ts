/** The metadata documents of an issuer (RFC 8414; OpenID Connect Discovery, 3). */
import { RESPONSE_MODES } from '../authorize/authorization-request.ts'
import { endpointUrl, type Issuer, takesIdentityAssertions } from '../issuers/issuer.ts'
import { issuerQuery } from '../issuers/named-issuer.ts'
import { KEY_PAIR_ALGORITHMS, type KeyPairAlgorithm, SECRET_ALGORITHMS } from '../jwt/algorithms.ts'
import { ACR } from '../login/login.ts'
import { acceptedMethods, type AuthMethod, SECRET_METHODS } from '../oauth/auth-methods.ts'
import { DEVICE_CODE } from '../oauth/grant-types.ts'
import { CHALLENGE_METHODS } from '../oauth/pkce.ts'
import { DEFAULT_USER_SCOPE } from '../oauth/scope.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import { ID_JAG_ISSUER, ID_JAG_TYPE } from '../trust/id-jag.ts'

const CLAIMS = [
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
]

/** Claims of ID tokens that the default issuer does not have. */
const SESSION_CLAIMS = ['amr', 'acr', 'sid']

/** What the metadata says about one request. */
export interface MetadataFacts {
  /** The identifier of the issuer, without a trailing slash. */
  url: string
  /** The same at the HTTPS listener. */
  httpsUrl: string
  /** The algorithms of its keys. */
  algorithms: readonly KeyPairAlgorithm[]
}

/** Authorization server metadata (RFC 8414, 2). */
export function serverMetadata(issuer: Issuer, { url, httpsUrl, algorithms }: MetadataFacts): Record<string, unknown> {
  const { settings } = issuer
  const at = (endpoint: string): string => endpointUrl(issuer, url, endpoint)
  const isS256Only = settings.require.includes('s256')
  return {
    issuer: url,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('token'),
    jwks_uri: at('jwks'),
    registration_endpoint: at('register'),
    userinfo_endpoint: at('userinfo'),
    introspection_endpoint: at('introspect'),
    revocation_endpoint: at('revoke'),
    device_authorization_endpoint: settings.grants.includes(DEVICE_CODE) ? at('device_authorization') : undefined,
    response_types_supported: ['code'],
    response_modes_supported: RESPONSE_MODES,
    grant_types_supported: settings.grants,
    code_challenge_methods_supported: isS256Only ? ['S256'] : CHALLENGE_METHODS,
    ...clientAuthentication(issuer),
    ...requestForms(issuer, at),
    ...tokenBinding(issuer, url, httpsUrl),
    ...identityChaining(issuer),
    ...sessions(issuer, at),
    client_id_metadata_document_supported: issuer.name === DEFAULT_ISSUER ? undefined : true,
    introspection_signing_alg_values_supported: issuer.name === DEFAULT_ISSUER ? undefined : algorithms,
    scopes_supported: DEFAULT_USER_SCOPE,
    authorization_response_iss_parameter_supported: isIssAnnounced(issuer) ? true : undefined,
  }
}

/** Pushed requests and request objects (RFC 9126, 5; RFC 9101, 10.5). */
function requestForms({ name, settings }: Issuer, at: (endpoint: string) => string): Record<string, unknown> {
  if (name === DEFAULT_ISSUER) return {}
  return {
    pushed_authorization_request_endpoint: at('par'),
    require_pushed_authorization_requests: settings.require.includes('par'),
    request_object_signing_alg_values_supported: KEY_PAIR_ALGORITHMS,
    require_signed_request_object: settings.require.includes('jar'),
  }
}

/** Bound tokens (RFC 9449, 5.1; RFC 8705, 3.3 and 5). */
function tokenBinding(issuer: Issuer, url: string, httpsUrl: string): Record<string, unknown> {
  if (issuer.name === DEFAULT_ISSUER) return {}
  const aliases: [member: string, endpoint: string][] = [
    ['token_endpoint', 'token'],
    ['revocation_endpoint', 'revoke'],
    ['introspection_endpoint', 'introspect'],
    ['userinfo_endpoint', 'userinfo'],
    ['pushed_authorization_request_endpoint', 'par'],
    ...(issuer.settings.grants.includes(DEVICE_CODE)
      ? [['device_authorization_endpoint', 'device_authorization'] as [string, string]]
      : []),
  ]
  const query = issuerQuery(url, httpsUrl)
  return {
    dpop_signing_alg_values_supported: KEY_PAIR_ALGORITHMS,
    tls_client_certificate_bound_access_tokens: true,
    mtls_endpoint_aliases: Object.fromEntries(
      aliases.map(([member, endpoint]) => [member, endpointUrl(issuer, httpsUrl, endpoint) + query]),
    ),
  }
}

/** Logout and authentication (RP-Initiated Logout, 2.1; Back-Channel Logout, 2.1; OpenID Connect Discovery, 3). */
function sessions({ name }: Issuer, at: (endpoint: string) => string): Record<string, unknown> {
  const end_session_endpoint = at('logout')
  if (name === DEFAULT_ISSUER) return { end_session_endpoint }
  return {
    end_session_endpoint,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    acr_values_supported: Object.values(ACR),
  }
}

/** Grants across issuers (identity assertion authorization grant; identity chaining). */
function identityChaining(issuer: Issuer): Record<string, unknown> {
  const { name } = issuer
  return {
    ...(takesIdentityAssertions(issuer) && {
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    }),
    ...(name === ID_JAG_ISSUER && { identity_chaining_requested_token_types_supported: [ID_JAG_TYPE] }),
  }
}

/** How clients authenticate. The default issuer announces only secrets. */
function clientAuthentication({ name, settings }: Issuer): Record<string, unknown> {
  const isDefault = name === DEFAULT_ISSUER
  const methods = isDefault ? SECRET_METHODS : acceptedMethods(settings)
  const algorithms = [...KEY_PAIR_ALGORITHMS, ...(methods.includes('client_secret_jwt') ? SECRET_ALGORITHMS : [])]
  const endpoints: [string, readonly AuthMethod[]][] = [
    ['token', methods],
    ['introspection', methods.filter(method => method !== 'none')],
    ['revocation', methods],
  ]
  const members = endpoints.flatMap(([endpoint, supported]) => [
    [`${endpoint}_endpoint_auth_methods_supported`, supported],
    ...(isDefault ? [] : [[`${endpoint}_endpoint_auth_signing_alg_values_supported`, algorithms]]),
  ])
  return Object.fromEntries(members) as Record<string, unknown>
}

/** The same with the members that OpenID Connect adds (Discovery, 3). */
export function openidConfiguration(issuer: Issuer, facts: MetadataFacts): Record<string, unknown> {
  const hasRoles = issuer.users.list.some(({ roles }) => roles !== undefined)
  return {
    ...serverMetadata(issuer, facts),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: facts.algorithms,
    claims_supported: [
      ...CLAIMS,
      ...(issuer.name === DEFAULT_ISSUER ? [] : SESSION_CLAIMS),
      ...(hasRoles ? ['roles'] : []),
    ],
    claims_parameter_supported: false,
    request_parameter_supported: issuer.name !== DEFAULT_ISSUER,
    // Required, because the default is true.
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  }
}

/** Whether the metadata announces the parameter `iss` (RFC 9207, 3). */
function isIssAnnounced({ settings }: Issuer): boolean {
  return ['right', 'missing', 'wrong'].includes(settings.iss_parameter)
}
