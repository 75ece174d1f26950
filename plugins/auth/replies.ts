/** Schemas of the responses, for the OpenAPI document. */
import { BOOLEAN, INTEGER, jsonReply, object, RECORD, TEXT, textReply } from 'svc/toolkit'

export const AUTH_BASIC_AUTH = jsonReply(
  object({ authenticated: BOOLEAN, auth_type: TEXT, username: TEXT }),
  'AuthBasicAuth',
)

export const AUTH_API_KEY = jsonReply(object({ authenticated: BOOLEAN, auth_type: TEXT, header: TEXT }), 'AuthApiKey')

export const AUTH_HMAC = jsonReply(
  object({
    authenticated: BOOLEAN,
    auth_type: TEXT,
    username: TEXT,
    header: TEXT,
    claims: object({
      algorithm: TEXT,
      signed_headers: TEXT,
      signing_string: TEXT,
      date_header: TEXT,
      clock_skew: INTEGER,
      digest_verified: BOOLEAN,
      credential_header: TEXT,
    }),
  }),
  'AuthHmac',
)

export const AUTH_JWT = jsonReply(
  object({
    authenticated: BOOLEAN,
    auth_type: TEXT,
    username: TEXT,
    claims: object({ sub: TEXT, name: TEXT, iss: TEXT, aud: TEXT, scope: TEXT, iat: INTEGER, exp: INTEGER }),
    jwt_header: object({ alg: TEXT, typ: TEXT }),
  }),
  'AuthJwt',
)

export const AUTH_JWT_DECODE = jsonReply(
  object({
    verified: BOOLEAN,
    jwt_header: object({ alg: TEXT, typ: TEXT }),
    claims: object({ sub: TEXT, name: TEXT, iss: TEXT, aud: TEXT, scope: TEXT, iat: INTEGER, exp: INTEGER }),
    expired: BOOLEAN,
    note: TEXT,
  }),
  'AuthJwtDecode',
)

export const AUTH_JWT_EXCHANGE = jsonReply(
  object({
    authenticated: BOOLEAN,
    auth_type: TEXT,
    claims: object({ sub: TEXT, name: TEXT, iss: TEXT, aud: TEXT, scope: TEXT, iat: INTEGER, exp: INTEGER, jti: TEXT }),
    exchanged_token: TEXT,
  }),
  'AuthJwtExchange',
)

export const AUTH_MTLS_GET_CA_CERT = {
  ...jsonReply(object({ ca_cert_pem: TEXT, usage: TEXT }), 'AuthMtlsGetCaCert'),
  ...textReply('application/x-pem-file'),
}

export const AUTH_MTLS_GET_CLIENT_CERT = {
  ...jsonReply(object({ cert_pem: TEXT, key_pem: TEXT, usage: TEXT }), 'AuthMtlsGetClientCert'),
  ...textReply('application/x-pem-file'),
}

export const MTLS = jsonReply(RECORD)
