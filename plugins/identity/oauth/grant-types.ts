/** The supported values of `grant_type`. */

/** RFC 8693, 2.1. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** RFC 8628, 3.4. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** RFC 7523, 2.1. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Those of the default issuer, in the order in which the metadata lists them. */
export const DEFAULT_ISSUER_GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  TOKEN_EXCHANGE,
] as const

/** Those of issuers by path. */
export const GRANT_TYPES = [...DEFAULT_ISSUER_GRANTS, DEVICE_CODE, JWT_BEARER] as const

/** A supported `grant_type`. */
export type GrantType = (typeof GRANT_TYPES)[number]

const known: ReadonlySet<unknown> = new Set(GRANT_TYPES)

/** Whether a value is a supported `grant_type`. */
export function isGrantType(value: unknown): value is GrantType {
  return known.has(value)
}
