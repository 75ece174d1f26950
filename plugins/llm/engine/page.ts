/** Pagination with opaque tokens (Google AIP-158). */
const TOKEN_PREFIX = 'after:'
const MAX_TOKEN_CHARACTERS = 64

export interface Page<T> {
  items: T[]
  /** Token of the next page; null on the last page. */
  nextToken: string | null
}

/** Index of the first item on the page of a token; null for an invalid token. */
export function pageStart(token: string): number | null {
  const text = token.length > MAX_TOKEN_CHARACTERS ? '' : Buffer.from(token, 'base64url').toString('latin1')
  const digits = text.startsWith(TOKEN_PREFIX) ? text.slice(TOKEN_PREFIX.length) : ''
  return /^[1-9]\d{0,6}$/.test(digits) && tokenOf(Number(digits)) === token ? Number(digits) : null
}

/** At most `size` items, starting at `start`. */
export function cutPage<T>(all: readonly T[], start: number, size: number): Page<T> {
  const end = start + size
  return { items: all.slice(start, end), nextToken: end < all.length ? tokenOf(end) : null }
}

function tokenOf(start: number): string {
  return Buffer.from(TOKEN_PREFIX + start, 'latin1').toString('base64url')
}
