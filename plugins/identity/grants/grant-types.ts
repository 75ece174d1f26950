/** The supported values of `grant_type`. */

/** RFC 8693, 2.1. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** In the order in which the metadata lists them. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  TOKEN_EXCHANGE,
] as const

/** A supported `grant_type`. */
export type GrantType = (typeof GRANT_TYPES)[number]

const known: ReadonlySet<unknown> = new Set(GRANT_TYPES)

/** Whether a value is a supported `grant_type`. */
export function isGrantType(value: unknown): value is GrantType {
  return known.has(value)
}
