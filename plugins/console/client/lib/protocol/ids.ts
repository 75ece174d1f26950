/** Random IDs that also work on plain HTTP, where `crypto.randomUUID` and `crypto.subtle` do not exist. */
import { base64UrlOf } from '../tokens/jwt.ts'

/** A random UUID (RFC 9562, version 4). */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** 43 random base64url characters (256 bits). */
export function randomSecret(): string {
  return base64UrlOf(crypto.getRandomValues(new Uint8Array(32)))
}

/** Whether browsers allow hashing and signing on this page: HTTPS, or a loopback address. */
export function canSign(): boolean {
  return 'subtle' in crypto && crypto.subtle !== undefined
}
