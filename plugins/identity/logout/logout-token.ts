/** Logout tokens (OpenID Connect Back-Channel Logout, 2.4). */
import type { TokenClaims } from '../types.ts'

/** The header `typ`. */
export const LOGOUT_TYP = 'logout+jwt'
/** Lifetime in seconds. */
export const LOGOUT_TOKEN_LIFE_S = 120

/** The claims in addition to the registered ones. */
export function logoutClaims(sid: string): TokenClaims {
  return { sid, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }
}
