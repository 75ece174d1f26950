/** Reads and compares the credentials of a request. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** The parts of an `Authorization` field. */
export interface Authorization {
  /** Lower case. */
  scheme: string
  /** The text after the scheme, trimmed; may be empty. */
  credentials: string
}

/** Splits the value of `Authorization` or `Proxy-Authorization` (RFC 9110, 11.4); null when absent or empty. */
export function readAuthorization(value: string | undefined): Authorization | null {
  const text = value?.trim() ?? ''
  if (text === '') return null
  const blank = text.search(/[ \t]/)
  if (blank === -1) return { scheme: text.toLowerCase(), credentials: '' }
  return { scheme: text.slice(0, blank).toLowerCase(), credentials: text.slice(blank).trim() }
}

/** The token of `Authorization: Bearer` (RFC 6750, 2.1); null if absent. */
export function readBearerToken(value: string | undefined): string | null {
  const authorization = readAuthorization(value)
  return authorization?.scheme === 'bearer' && authorization.credentials !== '' ? authorization.credentials : null
}

/** User name and password of `Basic` credentials (RFC 7617, 2), decoded as UTF-8; null if they are invalid. */
export function readBasicCredentials(credentials: string): { username: string; password: string } | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return null
  const pair = Buffer.from(credentials, 'base64').toString()
  const colon = pair.indexOf(':')
  return colon === -1 ? null : { username: pair.slice(0, colon), password: pair.slice(colon + 1) }
}

/** Compares secrets in constant time. Digests have the same length, so not even the length of a secret leaks. */
export function isSameSecret(presented: string | Buffer, expected: string | Buffer): boolean {
  return timingSafeEqual(digest(presented), digest(expected))
}

function digest(secret: string | Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}
