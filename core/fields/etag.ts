/** Validators of cached responses. */

/**
 * Whether an `If-None-Match` field contains this entity tag, or is `*` (RFC 9110, 13.1.2). The comparison is weak: `W/`
 * is ignored (8.8.3.2). An undefined field matches nothing.
 */
export function namesTag(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false
  if (field.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  for (const [tag] of field.matchAll(/"[^"]*"/g)) if (tag === opaque) return true
  return false
}
