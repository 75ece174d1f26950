/** Owns which response headers somebody may ask for, as a name and a value. */
import { isToken } from './token.ts'

/** They belong to the connection or to the framing of the message (RFC 9110, 7.6.1). */
const RESERVED = new Set([
  'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'host', 'http2-settings',
])
const PRINTABLE = /^[\t\x20-\x7e]*$/

/** What keeps a header from being set: no token, reserved for the connection, a value that is not printable ASCII. */
export function headerProblem(name: string, value: string): 'name' | 'reserved' | 'value' | null {
  if (!isToken(name)) return 'name'
  if (RESERVED.has(name.toLowerCase())) return 'reserved'
  return PRINTABLE.test(value) ? null : 'value'
}
