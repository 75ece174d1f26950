/** Schemas of the responses, for the OpenAPI document. */
import { BOOLEAN, jsonReply, object, RECORD, TEXT, textReply } from 'svc/toolkit'

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
    claims: RECORD,
  }),
  'AuthHmac',
)

export const AUTH_JWT = jsonReply(
  object({
    authenticated: BOOLEAN,
    auth_type: TEXT,
    username: TEXT,
    claims: RECORD,
    jwt_header: RECORD,
  }),
  'AuthJwt',
)

export const AUTH_JWT_DECODE = jsonReply(
  object({
    verified: BOOLEAN,
    jwt_header: RECORD,
    claims: RECORD,
    expired: BOOLEAN,
    note: TEXT,
  }),
  'AuthJwtDecode',
)

export const AUTH_JWT_EXCHANGE = jsonReply(
  object({
    authenticated: BOOLEAN,
    auth_type: TEXT,
    claims: RECORD,
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
