/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, RECORD, TEXT } from 'svc/toolkit'

export const OAUTH_TOKEN_POST = jsonReply(
  object(
    { access_token: TEXT, token_type: TEXT, expires_in: INTEGER, scope: TEXT },
    { id_token: TEXT, refresh_token: TEXT },
  ),
  'IdentityOauthTokenPost',
)

export const OAUTH_INTROSPECT_POST = jsonReply(object({ active: BOOLEAN }), 'IdentityOauthIntrospectPost')

export const OAUTH_REVOKE_POST = jsonReply(RECORD)

export const OAUTH_REGISTER_POST = jsonReply(
  object({
    client_id: TEXT,
    client_id_issued_at: INTEGER,
    client_name: TEXT,
    redirect_uris: list(TEXT),
    grant_types: list(TEXT),
    response_types: list(TEXT),
    token_endpoint_auth_method: TEXT,
  }),
  'IdentityOauthRegisterPost',
)

export const OAUTH_DEBUG_TOKEN_POST = jsonReply(
  object({
    token: TEXT,
    header: RECORD,
    claims: object(
      {
        iss: TEXT,
        sub: TEXT,
        aud: TEXT,
        exp: INTEGER,
        iat: INTEGER,
        jti: TEXT,
        client_id: TEXT,
        scope: TEXT,
        groups: list(TEXT),
      },
      { roles: list(TEXT) },
    ),
    accept: BOOLEAN,
    why: nullable(TEXT),
  }),
  'IdentityOauthDebugTokenPost',
)

export const OAUTH_DEBUG_TOKENS = jsonReply(
  object({
    issuer: TEXT,
    jwks_uri: TEXT,
    audience: TEXT,
    tokens: list(object({ preset: TEXT, token: TEXT, accept: BOOLEAN, why: nullable(TEXT), description: TEXT })),
  }),
  'IdentityOauthDebugTokens',
)

export const OAUTH_DEBUG_JWKS = jsonReply(object({ keys: list() }), 'IdentityOauthDebugJwks')

export const SVC_IDENTITY = jsonReply(
  object({
    issuers: list(
      object(
        {
          name: TEXT,
          source: TEXT,
          issuer: TEXT,
          algorithms: list(TEXT),
          keys: list(object({ kid: TEXT, alg: TEXT, state: TEXT, published: BOOLEAN, since: ANY, until: ANY })),
          clients: INTEGER,
          sessions: INTEGER,
          faults: ANY,
        },
        { title: TEXT },
      ),
    ),
    users: list(object({ username: TEXT, name: TEXT, email: TEXT, groups: list(TEXT) })),
  }),
  'Identity',
)

/** The settings of an issuer. */
const ISSUER = {
  name: TEXT,
  algorithms: list(TEXT),
  access_token: object({ ttl: INTEGER, audience: TEXT, typ: TEXT, format: TEXT, claims: RECORD }),
  id_token: object({ ttl: INTEGER, claims: RECORD }),
  refresh_token: object({ ttl: INTEGER, rotate: BOOLEAN, reuse: TEXT }),
  code_ttl: INTEGER,
  grants: list(TEXT),
  require: list(),
  dpop: object({ nonce: BOOLEAN, ttl_s: INTEGER }),
  cimd: object({ cache_s: INTEGER }),
  login: object({ variant: TEXT, ms: INTEGER }),
  iss_parameter: TEXT,
  rotate_every_s: INTEGER,
  users: list(),
  clients: list(),
  demo_users: BOOLEAN,
  demo_clients: BOOLEAN,
}

export const SVC_IDENTITY_ISSUERS = jsonReply(
  object(
    {
      ...ISSUER,
      trust: list(object({ issuer: TEXT, types: list(TEXT), subjects: list(TEXT), client: TEXT })),
    },
    { title: TEXT },
  ),
  'IdentityIssuers',
)

export const SVC_IDENTITY_ISSUERS_PUT = jsonReply(object({ ...ISSUER, trust: list() }), 'IdentityIssuersPut')

export const SVC_IDENTITY_ISSUERS_ROTATE_POST = jsonReply(
  object({ signing: TEXT, published: list(TEXT), retires_at: TEXT }),
  'IdentityIssuersRotatePost',
)

export const SVC_IDENTITY_ISSUERS_FAULTS_PUT = jsonReply(RECORD)

/** Metadata of an issuer (RFC 8414; OpenID Connect Discovery 1.0, 3). */
export const METADATA = jsonReply(
  object(
    { issuer: TEXT, jwks_uri: TEXT },
    {
      authorization_endpoint: TEXT,
      token_endpoint: TEXT,
      registration_endpoint: TEXT,
      userinfo_endpoint: TEXT,
      introspection_endpoint: TEXT,
      revocation_endpoint: TEXT,
      scopes_supported: list(TEXT),
      response_types_supported: list(TEXT),
      grant_types_supported: list(TEXT),
      code_challenge_methods_supported: list(TEXT),
    },
  ),
  'IssuerMetadata',
)

/** Public keys (RFC 7517). */
export const JWKS = jsonReply(
  object({
    keys: list(
      object({ kty: TEXT }, { kid: TEXT, alg: TEXT, use: TEXT, n: TEXT, e: TEXT, crv: TEXT, x: TEXT, y: TEXT }),
    ),
  }),
  'JwkSet',
)

/** Claims about the user (OpenID Connect Core 1.0, 5.3.2). */
export const USERINFO = jsonReply(object({ sub: TEXT }, { name: TEXT, email: TEXT, groups: list(TEXT) }), 'UserInfo')
