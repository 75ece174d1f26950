/** What a control-plane token may do. */

/** From the least to the most; each holds those before it. The second is the wire's word for reading everything. */
const SCOPES = ['inspector', 'console', 'admin'] as const
const [READ_CAPTURES, READ_ALL, CHANGE] = SCOPES
export type Scope = (typeof SCOPES)[number]

/** All of them, highest first. */
export const ALL_SCOPES: readonly Scope[] = SCOPES.toReversed()

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Scopes of the claim `scope` (RFC 8693, 4.2), highest first, those that they hold included: names separated by blanks,
 * or an array of names. Without the claim `READ_ALL`. Unknown names and other types grant nothing.
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

/** The least scope that a request below `/_svc` needs. `path` is decoded. */
export function neededScope(method: string, path: string): Scope {
  if (!READING.has(method)) return CHANGE
  return path === '/_svc/requests' || path.startsWith('/_svc/requests/') ? READ_CAPTURES : READ_ALL
}
