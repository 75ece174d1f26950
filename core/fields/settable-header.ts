/** Owns which response headers somebody may ask for, as a name and a value. */
import { isToken } from './token.ts'

/** They belong to the connection or to the framing of the message (RFC 9110, 7.6.1). */
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
 * They change what the browser keeps for the whole origin, the instance's own pages included: the scope of a service
 * worker (Service Workers, 4.1) and stored data (Clear Site Data, 3).
 */
const ORIGIN_WIDE = new Set(['service-worker-allowed', 'clear-site-data'])
const PRINTABLE = /^[\t\x20-\x7e]*$/

/** Whether a field acts on the whole origin of the instance, so that no user-made answer may carry it. */
export function isOriginWide(name: string): boolean {
  return ORIGIN_WIDE.has(name.toLowerCase())
}

/**
 * What keeps a header from being set: the name is not a token, the field is reserved for the connection or acts on the
 * whole origin, or the value is not printable ASCII.
 */
export function headerProblem(name: string, value: string): 'name' | 'reserved' | 'value' | null {
  if (!isToken(name)) return 'name'
  if (RESERVED.has(name.toLowerCase()) || isOriginWide(name)) return 'reserved'
  return PRINTABLE.test(value) ? null : 'value'
}
