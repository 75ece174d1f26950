/** Owns which ids a webhook sink may have. */

/** 1 to 64 of `A-Za-z0-9._-`. */
export function isSinkId(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(id)
}
