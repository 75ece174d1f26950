/** JSON pointers (RFC 6901), as strings and as `$ref` fragments. */
import { escapeToken, pointerTokens } from 'svc/toolkit'

export { escapeToken, pointerTokens, valueAt } from 'svc/toolkit'

/** The tokens of a `$ref` fragment such as `#/components/schemas/A`; undefined if it is not a local pointer. */
export function fragmentTokens(ref: string): string[] | undefined {
  if (!ref.startsWith('#')) return undefined
  try {
    return pointerTokens(decodeURIComponent(ref.slice(1)))
  } catch {
    return undefined
  }
}

/** Builds a pointer fragment (`#/a/b~1c`) from tokens. */
export function fragmentOf(tokens: readonly (string | number)[]): string {
  return tokens.length === 0 ? '#' : `#/${tokens.map(token => escapeToken(String(token))).join('/')}`
}
