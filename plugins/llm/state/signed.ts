/** Texts that clients hold for the server: readable, but protected against changes by an HMAC. */
import { createHmac } from 'node:crypto'
import { type Json, type Svc } from 'svc/plugin'
import { isRecord, isSameSecret } from 'svc/toolkit'

const MAX_SEALED = 100_000

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
  /** The value with its signature, as base64url. It is readable: put no secrets in it. `ttlMs`: it expires. */
  seal(value: Json, ttlMs?: number): Promise<string>
  /** The value; undefined if the text was changed, has expired, or was sealed for another purpose. */
  open(text: string): Promise<Json | undefined>
}

/** Values for different purposes can't be mistaken for each other. */
export function createSigned(svc: Pick<Svc<unknown>, 'secret'>, purpose: string): Signed {
  const keyOf = async (): Promise<Buffer> =>
    createHmac('sha256', await svc.secret('signed'))
      .update(purpose)
      .digest()
  return {
    async seal(value, ttlMs) {
      const expiresAt = ttlMs === undefined ? null : Date.now() + ttlMs
      return sealText(await keyOf(), JSON.stringify({ value, expiresAt }))
    },
    async open(text) {
      const opened = openText(await keyOf(), text)
      const sealed: unknown = opened === null ? null : JSON.parse(opened)
      if (!isRecord(sealed)) return undefined
      const { value, expiresAt } = sealed as { value: Json; expiresAt: number | null }
      return expiresAt !== null && expiresAt <= Date.now() ? undefined : value
    },
  }
}
