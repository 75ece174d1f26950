/** What a control-plane token may do. */

/** From the least to the most; each holds those before it. */
const SCOPES = ['inspector', 'console', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Scopes of the claim `scope` (RFC 8693, 4.2), highest first, those that they hold included: names separated by blanks,
 * or an array of names. Without the claim `console`. Unknown names and other types grant nothing.
 */
export function grantedScopes(claim: unknown): Scope[] {
  const names = claim === undefined || claim === null ? ['console'] : typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : []
  const highest = Math.max(...names.map(name => SCOPES.indexOf(name as Scope)), -1)
  return SCOPES.slice(0, highest + 1).reverse()
}

/** The least scope that a request below `/_svc` needs. `path` is decoded. */
export function neededScope(method: string, path: string): Scope {
  if (!READING.has(method)) return 'admin'
  return path === '/_svc/requests' || path.startsWith('/_svc/requests/') ? 'inspector' : 'console'
}
