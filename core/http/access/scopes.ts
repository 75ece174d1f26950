/** The scopes of control-plane tokens. */

import { CONTROL_SCOPES as SCOPES, type ControlScope } from '../../contract/control-scope.ts'

/** The second is the public name for reading everything. */
const [READ_CAPTURES, READ_ALL, CHANGE] = SCOPES
export type Scope = ControlScope

/** All scopes, highest first. */
export const ALL_SCOPES: readonly Scope[] = SCOPES.toReversed()

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The scopes of the claim `scope` (RFC 8693, 4.2), highest first, including implied ones. The claim is a list of names
 * separated by spaces, or an array. Without the claim the result is `READ_ALL`. Unknown names and other types grant
 * nothing.
 */
export function grantedScopes(claim: unknown): Scope[] {
  const names =
    claim === undefined || claim === null
      ? [READ_ALL]
      : typeof claim === 'string'
        ? claim.split(' ')
        : Array.isArray(claim)
          ? claim
          : []
  const highest = Math.max(...names.map(name => SCOPES.indexOf(name as Scope)), -1)
  return SCOPES.slice(0, highest + 1).reverse()
}

/** The lowest scope required for a request below `/_svc`. `path` is decoded. */
export function neededScope(method: string, path: string): Scope {
  // A verification only reads; its body is a query that is too long for a URL.
  if (method === 'POST' && path === '/_svc/verify') return READ_CAPTURES
  if (!READING.has(method)) return CHANGE
  return path === '/_svc/requests' || path.startsWith('/_svc/requests/') ? READ_CAPTURES : READ_ALL
}
