/** The values of `grant_type` that this provider knows. */

/** RFC 8693, 2.1. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** In the order of the metadata. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  TOKEN_EXCHANGE,
] as const

/** One of them. */
export type GrantType = (typeof GRANT_TYPES)[number]

const known: ReadonlySet<unknown> = new Set(GRANT_TYPES)

/** Whether a value is one of them. */
export function isGrantType(value: unknown): value is GrantType {
  return known.has(value)
}
