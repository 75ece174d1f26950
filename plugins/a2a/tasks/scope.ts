/** Owns the keys under which tasks are found: a session, or the part of a session that belongs to a tenant. */

/** Session keys never contain NUL. */
export function scopeOf(session: string, tenant: string | null): string {
  return tenant === null ? session : `${session}\0${tenant}`
}

export function sessionOf(scope: string): string {
  return scope.split('\0', 1)[0]!
}

/** The tenant with this name; any other value counts as none. */
export function knownTenant({ tenants }: { readonly tenants: readonly string[] }, name: unknown): string | null {
  return typeof name === 'string' && tenants.includes(name) ? name : null
}
