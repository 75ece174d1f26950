/** The scheme `timestamped`: signs timestamp and body, with both parts in one header, as payment providers do. */
import { headerOf, type Scheme } from './scheme.ts'
import type { IncomingHttpHeaders } from 'node:http'

const VERSION = 'v1='

/** Also reads the vendor's header, so that real senders work unmodified. */
function signatureHeader(headers: IncomingHttpHeaders): string | null {
  return headerOf(headers, 'alt-signature') ?? headerOf(headers, 'stripe-signature')
}

export const timestamped: Scheme = {
  name: 'timestamped',
  aliases: ['stripe'],
  headers: ['Alt-Signature'],
  signature: 't=<unix>,v1=<hex HMAC-SHA256 over {t}.{body}>',
  hasTimestamp: true,
  isIn: headers => signatureHeader(headers) !== null,
  read(headers) {
    const value = signatureHeader(headers)
    const parts = value?.split(',').map(part => part.trim()) ?? []
    const signatures = parts.filter(part => part !== '' && !part.startsWith('t='))
    return {
      missing: value === null ? ['Alt-Signature'] : [],
      id: null,
      timestamp: parts.find(part => part.startsWith('t='))?.slice(2) ?? null,
      signatures,
      supported: signatures.filter(part => part.startsWith(VERSION)).map(part => part.toLowerCase()),
    }
  },
  keyOf: secret => Buffer.from(secret),
  prefix: ({ timestamp }) => `${timestamp}.`,
  format: (mac, { timestamp }) => `t=${timestamp},${VERSION}${mac.toString('hex')}`,
  comparable: formatted => formatted.slice(formatted.indexOf(',') + 1),
  write: formatted => ({ 'alt-signature': formatted }),
}
