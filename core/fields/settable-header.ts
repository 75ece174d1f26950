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

/** Whether a field affects the whole origin of the instance, so that no user-supplied response may contain it. */
export function isOriginWide(name: string): boolean {
  return ORIGIN_WIDE.has(name.toLowerCase())
}

/**
 * Why a header cannot be set: the name is not a token, the field is reserved for the connection or affects the whole
 * origin, or the value is not printable ASCII.
 */
export function headerProblem(name: string, value: string): 'name' | 'reserved' | 'value' | null {
  if (!isToken(name)) return 'name'
  if (RESERVED.has(name.toLowerCase()) || isOriginWide(name)) return 'reserved'
  return PRINTABLE.test(value) ? null : 'value'
}
