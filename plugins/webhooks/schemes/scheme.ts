/** The interface of a signature scheme: its headers, and what it signs. */
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface Scheme {
  readonly name: 'standard' | 'hmac-hex' | 'timestamped'
  /** Aliases. */
  readonly aliases: readonly string[]
  /** Required headers, as documented. */
  readonly headers: readonly string[]
  /** Short description of how the signature is created. */
  readonly signature: string
  readonly hasTimestamp: boolean
  /** Whether the request has the signature header of this scheme. */
  isIn(headers: IncomingHttpHeaders): boolean
  /** The parts of the signature in a request. */
  read(headers: IncomingHttpHeaders): Presented
  /** HMAC key of a secret; null if the format of the secret is invalid. */
  keyOf(secret: string): Buffer | null
  /** The signed text before the body. */
  prefix(facts: SignedFacts): string
  /** The signature in the format of its header. */
  format(mac: Buffer, facts: SignedFacts): string
  /** The part of a formatted signature that is compared with the entries of a request. */
  comparable(formatted: string): string
  /** Header lines of a signed message, with names in lower case. */
  write(formatted: string, facts: SignedFacts): Record<string, string>
}

/** Signed values besides the body; schemes without an id or timestamp ignore them. */
export interface SignedFacts {
  id: string
  /** Unix seconds as text. */
  timestamp: string
}

export interface Presented {
  /** Names of required headers that are absent or empty. */
  missing: string[]
  id: string | null
  timestamp: string | null
  /** All entries, as received. */
  signatures: string[]
  /** Entries of the supported version, in the format of `comparable`. */
  supported: string[]
}

/** HMAC-SHA256 over the prefix and the body (RFC 2104). Signs header bytes, which Node reads as Latin-1, as received. */
export function signatureOf(scheme: Scheme, key: Buffer, facts: SignedFacts, body: Buffer): string {
  return scheme.format(createHmac('sha256', key).update(scheme.prefix(facts), 'latin1').update(body).digest(), facts)
}

/** First value of a header, or null if it is absent or empty. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) || null
}
