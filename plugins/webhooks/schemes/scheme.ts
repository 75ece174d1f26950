/** Owns what a signature scheme states: where it keeps its parts, and what it signs. */
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface Scheme {
  readonly name: 'standard' | 'hmac-hex' | 'timestamped'
  /** Other names that are accepted for it. */
  readonly aliases: readonly string[]
  /** Headers that it needs, as documented. */
  readonly headers: readonly string[]
  /** How the signature is made, in a few words. */
  readonly signature: string
  readonly hasTimestamp: boolean
  /** Its signature header is there: the request speaks this scheme. */
  isIn(headers: IncomingHttpHeaders): boolean
  /** What a request presents. */
  read(headers: IncomingHttpHeaders): Presented
  /** HMAC key of a secret; null when the secret has not the form that the scheme needs. */
  keyOf(secret: string): Buffer | null
  /** The text before the body in what is signed. */
  prefix(facts: SignedFacts): string
  /** The signature as its header carries it. */
  format(mac: Buffer, facts: SignedFacts): string
  /** Of a formatted signature, what an entry of a request is compared with. */
  comparable(formatted: string): string
  /** Header lines of a signed message, names in lower case. */
  write(formatted: string, facts: SignedFacts): Record<string, string>
}

/** What goes into a signature beside the body; schemes without an id or a timestamp leave them out. */
export interface SignedFacts {
  id: string
  /** Unix seconds as they are written. */
  timestamp: string
}

export interface Presented {
  /** Names of needed headers that are absent or empty. */
  missing: string[]
  id: string | null
  timestamp: string | null
  /** All entries, as received. */
  signatures: string[]
  /** Those of the supported version, in the form of `comparable`. */
  supported: string[]
}

/** HMAC-SHA256 over the scheme's prefix and the body (RFC 2104). Header bytes are latin1 in Node: they are signed as they came. */
export function signatureOf(scheme: Scheme, key: Buffer, facts: SignedFacts, body: Buffer): string {
  return scheme.format(createHmac('sha256', key).update(scheme.prefix(facts), 'latin1').update(body).digest(), facts)
}

/** First value of a header, null when absent or empty. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) || null
}
