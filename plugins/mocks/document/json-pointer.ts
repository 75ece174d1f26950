/** JSON pointers (RFC 6901), as text and as the fragment of a `$ref`. */
import { isRecord } from 'svc/plugin'
import type { Json } from './json.ts'

/** One token, escaped for use in a pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The tokens of a pointer; undefined when it is none (it must be empty or begin with `/`; `~` only as `~0`, `~1`). */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The tokens of a `$ref` fragment such as `#/components/schemas/A`; undefined when it is no local pointer. */
export function fragmentTokens(ref: string): string[] | undefined {
  if (!ref.startsWith('#')) return undefined
  try {
    return pointerTokens(decodeURIComponent(ref.slice(1)))
  } catch {
    return undefined
  }
}

/** The value at the tokens; undefined when there is none. List indices are digits without leading zeros. */
export function valueAt(root: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = root
  for (const token of tokens) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,8})$/.test(token) ? value[Number(token)] : undefined
    else if (isRecord(value)) value = Object.hasOwn(value, token) ? value[token] : undefined
    else return undefined
    if (value === undefined) return undefined
  }
  return value
}

/** A pointer fragment (`#/a/b~1c`) from tokens. */
export function fragmentOf(tokens: readonly (string | number)[]): string {
  return tokens.length === 0 ? '#' : `#/${tokens.map(token => escapeToken(String(token))).join('/')}`
}
