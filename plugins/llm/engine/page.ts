/** Pages of a listing with opaque tokens (Google AIP-158): where one begins, and what is on it. */
const TOKEN_PREFIX = 'after:'
const MOST_TOKEN_CHARACTERS = 64

export interface Page<T> {
  items: T[]
  /** Leads to the next page; null on the last one. */
  nextToken: string | null
}

/** Index of the first item on the page that a token leads to; null for a token that no page has had. */
export function pageStart(token: string): number | null {
  const text = token.length > MOST_TOKEN_CHARACTERS ? '' : Buffer.from(token, 'base64url').toString('latin1')
  const digits = text.startsWith(TOKEN_PREFIX) ? text.slice(TOKEN_PREFIX.length) : ''
  return /^[1-9]\d{0,6}$/.test(digits) && tokenOf(Number(digits)) === token ? Number(digits) : null
}

/** At most `size` items from `start` on. */
export function cutPage<T>(all: readonly T[], start: number, size: number): Page<T> {
  const end = start + size
  return { items: all.slice(start, end), nextToken: end < all.length ? tokenOf(end) : null }
}

function tokenOf(start: number): string {
  return Buffer.from(TOKEN_PREFIX + start, 'latin1').toString('base64url')
}
