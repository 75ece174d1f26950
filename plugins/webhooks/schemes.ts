/** Owns the list of schemes: found by name, or by the headers of a request. */
import type { IncomingHttpHeaders } from 'node:http'
import { hmacHex } from './schemes/hmac-hex.ts'
import type { Scheme } from './schemes/scheme.ts'
import { standard } from './schemes/standard.ts'
import { timestamped } from './schemes/timestamped.ts'

/** In the order in which requests are looked at. */
export const SCHEMES: readonly Scheme[] = [standard, hmacHex, timestamped]

/** The scheme of that name or alias, in any case. */
export function findScheme(name: string): Scheme | undefined {
  const lower = name.toLowerCase()
  return SCHEMES.find(scheme => scheme.name === lower || scheme.aliases.includes(lower))
}

/** The scheme whose signature header a request has. */
export function detectScheme(headers: IncomingHttpHeaders): Scheme | undefined {
  return SCHEMES.find(scheme => scheme.isIn(headers))
}

/** Unix seconds as all schemes write them. */
export function isTimestamp(text: string): boolean {
  return /^-?\d{1,15}$/.test(text)
}

/** Seconds of age, either way, that are taken. */
export const DEFAULT_TOLERANCE_SECS = 300

export function unixNow(): number {
  return Math.floor(Date.now() / 1000)
}
