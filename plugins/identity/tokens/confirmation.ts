/** To what an access token is bound: a key of the client (RFC 9449, 6) or a certificate (RFC 8705, 3). */
import { createHash, type X509Certificate } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import type { Binding } from '../stores/records.ts'
import type { TokenClaims } from '../types.ts'

/** Whether a token is bound to anything. */
export function isBound({ jkt, 'x5t#S256': x5t }: Binding): boolean {
  return jkt !== undefined || x5t !== undefined
}

/** What the claims say. */
export function bindingOf({ cnf }: TokenClaims): Binding {
  if (!isRecord(cnf)) return {}
  const { jkt, 'x5t#S256': x5t } = cnf
  return { ...(typeof jkt === 'string' && { jkt }), ...(typeof x5t === 'string' && { 'x5t#S256': x5t }) }
}

/** The thumbprint of a certificate (RFC 8705, 3.1). */
export function certificateThumbprint({ raw }: X509Certificate): string {
  return createHash('sha256').update(raw).digest('base64url')
}
