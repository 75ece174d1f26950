/** Scopes: space-separated, free-form names (RFC 6749, 3.3). */
import { OAuthError } from './errors.ts'
import type { Parameters } from './parameters.ts'

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

/** The requested scope, or an empty list; throws `invalid_scope`. */
export function requestedScope(parameters: Parameters): readonly string[] {
  const scope = parseScope(parameters.get('scope') ?? '')
  if (scope === null)
    throw new OAuthError(
      'invalid_scope',
      'scope must be printable ASCII without quotes and backslashes, at most 1000 characters',
    )
  return scope
}

/** The scope of a user's grant: the requested, else the registered, else the default one. */
export function userScope(parameters: Parameters, client: { scope: readonly string[] }): readonly string[] {
  return firstNonEmpty(requestedScope(parameters), client.scope, DEFAULT_USER_SCOPE)
}

/** The first non-empty list, or an empty one. */
export function firstNonEmpty(...lists: (readonly string[])[]): readonly string[] {
  return lists.find(list => list.length > 0) ?? []
}
