/** API keys of shared mode: where a request carries one, and what svc stores of it. */
import { createHash } from 'node:crypto'

/** The holder of a key. */
export interface KeyRecord {
  id: string
  name: string | null
  /** Null means no daily quota. */
  dailyRequests: number | null
  /** Requests per second; null means no rate limit. */
  rps: number | null
  burst: number | null
  enabled: boolean
  /** Milliseconds since 1970; null means never. */
  expiresAt: number | null
}

/** 8 to 256 visible ASCII characters. */
export function isWellFormed(key: string): boolean {
  return /^[\x21-\x7e]{8,256}$/.test(key)
}

/** The SHA-256 of a key in hex; keys themselves are not stored. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** The id of a key without a registry. */
export function openId(digest: string): string {
  return `k-${digest.slice(0, 12)}`
}

const QUERY_NAMES = ['rb_key', 'svc_key']

/**
 * The key of a request: the first `X-Svc-Key` line, else `?rb_key=`, else `?svc_key=`. An empty value counts as absent.
 */
export function findKey(header: string | undefined, url: string): string | null {
  const fromHeader = header?.trim()
  if (fromHeader) return fromHeader
  const start = url.indexOf('?')
  if (start === -1) return null
  const query = new URLSearchParams(url.slice(start + 1))
  for (const name of QUERY_NAMES) {
    const value = query.get(name)
    if (value) return value
  }
  return null
}
