/** The signature schemes, looked up by name or by the headers of a request. */
import type { IncomingHttpHeaders } from 'node:http'
import { hmacHex } from './schemes/hmac-hex.ts'
import type { Scheme } from './schemes/scheme.ts'
import { standard } from './schemes/standard.ts'
import { timestamped } from './schemes/timestamped.ts'

/** In detection order. */
export const SCHEMES: readonly Scheme[] = [standard, hmacHex, timestamped]

/** The scheme with that name or alias, case-insensitive. */
export function findScheme(name: string): Scheme | undefined {
  const lower = name.toLowerCase()
  return SCHEMES.find(scheme => scheme.name === lower || scheme.aliases.includes(lower))
}

/** The scheme for the signature header of a request. */
export function detectScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  return SCHEMES.find(scheme => scheme.isIn(headers))
}

/** Unix seconds, in the format of all schemes. */
export function isTimestamp(text: string): boolean {
  return /^-?\d{1,15}$/.test(text)
}

/** Allowed time difference in seconds, past or future. */
export const DEFAULT_TOLERANCE_SECS = 300

export function unixNow(): number {
  return Math.floor(Date.now() / 1000)
}
