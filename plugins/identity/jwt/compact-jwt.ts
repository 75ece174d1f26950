/** Decodes the compact form of a JWT (RFC 7519, 3) without verifying it. */
import { isUtf8 } from 'node:buffer'
import { isNestedWithin, isRecord } from 'svc/toolkit'
import type { DecodedToken } from '../types.ts'
import { hasRepeatedName } from './repeated-names.ts'

/** Deeper JSON could overflow the stack when it is serialized. */
export const MAX_NESTING = 64
const BASE64URL = /^[A-Za-z0-9_-]+$/

/** The unverified header and claims of a token. */
export function decodeCompactJwt(token: string): DecodedToken {
  const parts = token.split('.', 4)
  if (parts.length !== 3) return { malformed: 'expected three parts separated by dots' }
  const header = readPart(parts[0]!)
  if (typeof header === 'string') return { malformed: `the header ${header}` }
  const claims = readPart(parts[1]!)
  if (typeof claims === 'string') return { malformed: `the payload ${claims}` }
  if (parts[2] !== '' && !BASE64URL.test(parts[2]!)) return { malformed: 'the signature is not base64url' }
  return { header, claims }
}

/** The JSON object of a part, or the error. */
function readPart(part: string): Record<string, unknown> | string {
  if (!BASE64URL.test(part)) return 'is not base64url'
  const bytes = Buffer.from(part, 'base64url')
  const text = isUtf8(bytes) ? bytes.toString() : ''
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (!isRecord(value)) return 'is not a JSON object'
  if (!isNestedWithin(value, MAX_NESTING)) return `is nested deeper than ${MAX_NESTING} levels`
  // Parsers disagree about which value counts (RFC 7519, 4; RFC 8725, 2.4).
  return hasRepeatedName(text) ? 'has a member twice' : value
}
