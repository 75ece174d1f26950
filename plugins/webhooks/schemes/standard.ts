/** The scheme `standard` (Standard Webhooks 1.0): signs id, timestamp and body with a base64 key. */
import { headerOf, type Scheme } from './scheme.ts'

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
const SECRET_PREFIX = 'whsec_'
const VERSION = 'v1,'

export const standard: Scheme = {
  name: 'standard',
  aliases: ['standard-webhooks'],
  headers: HEADERS,
  signature: 'v1,<base64 HMAC-SHA256 over {id}.{timestamp}.{body}>, separated by spaces if there are several',
  hasTimestamp: true,
  isIn: headers => headerOf(headers, 'webhook-signature') !== null,
  read(headers) {
    // Node joins repeated header lines with a comma and a space.
    const signatures =
      headerOf(headers, 'webhook-signature')
        ?.split(/,?\s+/)
        .filter(entry => entry !== '') ?? []
    return {
      missing: HEADERS.filter(name => headerOf(headers, name) === null),
      id: headerOf(headers, 'webhook-id'),
      timestamp: headerOf(headers, 'webhook-timestamp'),
      signatures,
      supported: signatures.filter(entry => entry.startsWith(VERSION)),
    }
  },
  keyOf(secret) {
    // A space in the secret is a plus sign that was not percent-encoded in the query.
    const text = (secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret).replaceAll(' ', '+')
    const digits = text.replace(/={1,2}$/, '')
    const isPadded = digits.length !== text.length
    if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1 || (isPadded && text.length % 4 !== 0)) return null
    return Buffer.from(digits, 'base64')
  },
  prefix: ({ id, timestamp }) => `${id}.${timestamp}.`,
  format: mac => VERSION + mac.toString('base64'),
  comparable: formatted => formatted,
  write: (formatted, { id, timestamp }) => ({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': formatted,
  }),
}
