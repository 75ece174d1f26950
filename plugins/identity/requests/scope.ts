/** Scopes: space-separated, free-form names (RFC 6749, 3.3). */

const MAX_SCOPE_CHARACTERS = 1000
const SCOPE_SYNTAX = /^[\x21\x23-\x5b\x5d-\x7e ]*$/

/** The scope of a user's tokens if none is requested or registered. */
export const DEFAULT_USER_SCOPE = ['openid', 'profile', 'email']
/** The same for tokens issued to a client for itself. */
export const DEFAULT_CLIENT_SCOPE = ['openid']

/** The names in order, without duplicates; null if the text is too long or has characters that are not allowed. */
export function parseScope(text: string): string[] | null {
  if (text.length > MAX_SCOPE_CHARACTERS || !SCOPE_SYNTAX.test(text)) return null
  return [...new Set(text.split(' ').filter(name => name !== ''))]
}

/** Whether every name of `part` is among those of `whole`. */
export function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  const names = new Set(whole)
  return part.every(name => names.has(name))
}
