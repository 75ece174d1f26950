/** Validators of what clients have cached. */

/**
 * Whether an `If-None-Match` field names this entity tag, or is `*` (RFC 9110, 13.1.2). The comparison is weak: `W/` makes
 * no difference (8.8.3.2). Undefined: the field is absent.
 */
export function namesTag(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false
  if (field.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  for (const [tag] of field.matchAll(/"[^"]*"/g)) if (tag === opaque) return true
  return false
}
