/** Decides which response headers a user may set, by name and value. */
import { isToken } from './token.ts'

/** These belong to the connection or to the message framing (RFC 9110, 7.6.1). */
const RESERVED = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'host',
  'http2-settings',
])
/**
 * These change what the browser stores for the whole origin, including the pages of the instance: the scope of a
 * service worker (Service Workers, 4.1) and stored data (Clear Site Data, 3).
 */
const ORIGIN_WIDE = new Set(['service-worker-allowed', 'clear-site-data'])
const PRINTABLE = /^[\t\x20-\x7e]*$/
/** Of a character of Latin-1, one byte is sent. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const MAX_SHOWN = 80

/** Whether a field affects the whole origin of the instance, so that no user-supplied response may contain it. */
export function isOriginWide(name: string): boolean {
  return ORIGIN_WIDE.has(name.toLowerCase())
}

/**
 * Why a header from data, such as a file, can't be sent (RFC 9110, 5.1 and 5.5): the name is not a token, or the value has
 * a control character or one outside Latin-1. A phrase for an error message; null if it can be sent. Check data when it
 * is loaded: Node throws when it sends such a header, and the response becomes a 500.
 */
export function fieldProblem(name: string, value: string): string | null {
  const shown = JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name)
  if (!isToken(name)) return `${shown} is not a valid header name`
  if (FIELD_VALUE.test(value)) return null
  const [character = ''] = /[^\t\x20-\x7e\x80-\xff]/u.exec(value) ?? []
  if (character === '\n' || character === '\r') return `the value of the header ${shown} has a line break`
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `the value of the header ${shown} has the character U+${code}, which headers can't have`
}

/**
 * Why a user may not set a header: the name is not a token, the field is reserved for the connection or affects the
 * whole origin, or the value is not printable ASCII.
 */
export function headerProblem(name: string, value: string): 'name' | 'reserved' | 'value' | null {
  if (!isToken(name)) return 'name'
  if (RESERVED.has(name.toLowerCase()) || isOriginWide(name)) return 'reserved'
  return PRINTABLE.test(value) ? null : 'value'
}
