/** Decodes JSON Web Tokens (RFC 7519) without verifying them. */
import { isRecord } from '../../../../../core/contract/record.ts'

export interface DecodedJwt {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** The signed part, and the signature. */
  signingInput: string
  signature: Uint8Array<ArrayBuffer>
}

/** The parts of a token in compact form; null: not a JWT. */
export function decodeJwt(token: string): DecodedJwt | null {
  const [header, claims, signature, ...more] = token.trim().split('.')
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return null
  try {
    const decoded = { header: JSON.parse(textOf(header)) as unknown, claims: JSON.parse(textOf(claims)) as unknown }
    if (!isRecord(decoded.header) || !isRecord(decoded.claims)) return null
    return {
      header: decoded.header,
      claims: decoded.claims,
      signingInput: `${header}.${claims}`,
      signature: bytesOfBase64(signature),
    }
  } catch {
    return null
  }
}

/** Expiry in milliseconds since 1970; null: no expiry, or not a JWT. */
export function expiryOf(token: string): number | null {
  const exp = decodeJwt(token)?.claims.exp
  return typeof exp === 'number' ? exp * 1000 : null
}

/** Base64 or base64url to bytes; throws on anything else. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(binary, char => char.charCodeAt(0))
}

/** Bytes to base64url without padding. */
export function base64UrlOf(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
}

function textOf(part: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytesOfBase64(part))
}
