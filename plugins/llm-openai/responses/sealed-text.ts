/** Texts that clients hold for the server: readable, but protected against changes by an HMAC. */
import { createHmac } from 'node:crypto'
import { isSameSecret } from 'svc/plugin'

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
