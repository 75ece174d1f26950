/** Texts that clients hold for the server: readable, but protected against changes by an HMAC. */
import { createHmac } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Json, type Svc } from 'svc/plugin'
import { isSameSecret } from 'svc/toolkit'

const MAX_SEALED = 100_000
/** Bytes of what a sealed value contains. */
const MAX_OPENED = 1_000_000

export function sealText(secret: Buffer, text: string): string {
  const body = Buffer.from(text).toString('base64url')
  return Buffer.from(`${signature(secret, body)}.${body}`).toString('base64url')
}

/** Null if the text was changed, or was sealed elsewhere. */
export function openText(secret: Buffer, sealed: string): string | null {
  if (sealed.length > MAX_SEALED) return null
  const [given = '', body] = Buffer.from(sealed, 'base64url').toString('latin1').split('.', 2)
  if (body === undefined || !isSameSecret(given, signature(secret, body))) return null
  return Buffer.from(body, 'base64url').toString()
}

function signature(secret: Buffer, body: string): string {
  return createHmac('sha256', secret).update(body).digest('base64url')
}

/** Ids and tokens that contain what they stand for, so that any replica reads them without a store. */
export interface Signed {
  /**
   * The value with its signature, compressed, as base64url. Everybody can read it: put no secrets in it. `ttlMs`: it
   * expires.
   */
  seal(value: Json, ttlMs?: number): Promise<string>
  /** The value; undefined if the text was changed, has expired, or was sealed for another purpose. */
  open(text: string): Promise<Json | undefined>
}

/** Characters of the signature: 192 bits. */
const SIGNATURE = 32

/** Values for different purposes can't be mistaken for each other. */
export function createSigned(svc: Pick<Svc<unknown>, 'secret'>, purpose: string): Signed {
  const keyOf = async (): Promise<Buffer> =>
    createHmac('sha256', await svc.secret('signed'))
      .update(purpose)
      .digest()
  const signatureOf = async (body: string): Promise<string> => signature(await keyOf(), body).slice(0, SIGNATURE)
  return {
    async seal(value, ttlMs) {
      const expiresAt = ttlMs === undefined ? null : Date.now() + ttlMs
      const body = deflateRawSync(JSON.stringify({ value, expiresAt })).toString('base64url')
      return `${await signatureOf(body)}${body}`
    },
    async open(text) {
      if (text.length > MAX_SEALED) return undefined
      const body = text.slice(SIGNATURE)
      if (!isSameSecret(text.slice(0, SIGNATURE), await signatureOf(body))) return undefined
      const json = inflateRawSync(Buffer.from(body, 'base64url'), { maxOutputLength: MAX_OPENED }).toString()
      const { value, expiresAt } = JSON.parse(json) as { value: Json; expiresAt: number | null }
      return expiresAt !== null && expiresAt <= Date.now() ? undefined : value
    },
  }
}
