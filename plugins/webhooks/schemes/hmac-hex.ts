/** The scheme `hmac-hex`: signs only the body, as GitHub does. */
import { headerOf, type Scheme } from './scheme.ts'

const HEADER = 'x-hub-signature-256'
const VERSION = 'sha256='

export const hmacHex: Scheme = {
  name: 'hmac-hex',
  aliases: ['github'],
  headers: ['X-Hub-Signature-256'],
  signature: 'sha256=<hex HMAC-SHA256 over {body}>',
  hasTimestamp: false,
  isIn: headers => headerOf(headers, HEADER) !== null,
  read(headers) {
    const signatures =
      headerOf(headers, HEADER)
        ?.split(/[\s,]+/)
        .filter(entry => entry !== '') ?? []
    return {
      missing: headerOf(headers, HEADER) === null ? ['X-Hub-Signature-256'] : [],
      id: null,
      timestamp: null,
      signatures,
      supported: signatures.filter(entry => entry.startsWith(VERSION)).map(entry => entry.toLowerCase()),
    }
  },
  keyOf: secret => Buffer.from(secret),
  prefix: () => '',
  format: mac => VERSION + mac.toString('hex'),
  comparable: formatted => formatted,
  write: formatted => ({ [HEADER]: formatted }),
}
