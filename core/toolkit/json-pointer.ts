/** JSON pointers (RFC 6901). */
import type { Json } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'

/**
 * The tokens of a pointer; undefined if it is invalid (it must be empty or start with `/`; `~` only as `~0` or `~1`).
 */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Escapes a token for use in a pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The value that the tokens point to; undefined if it does not exist. Array indices have no leading zeros. */
export function valueAt(root: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = root
  for (const token of tokens) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,8})$/.test(token) ? value[Number(token)] : undefined
    else if (isRecord(value))
      value = Object.hasOwn(value, token) ? (value as { [key: string]: Json })[token] : undefined
    else return undefined
    if (value === undefined) return undefined
  }
  return value
}
