/** Parses the Ed25519 public key of control-plane tokens, in the forms in which people paste keys into variables. */
import { createPublicKey, type KeyObject } from 'node:crypto'

/** SubjectPublicKeyInfo of an Ed25519 key without its last 32 bytes, the key itself (RFC 8410, 4). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const RAW_BYTES = 32

/**
 * PEM (line ends also as `
 * ` or spaces), base64 of the DER, or base64 of the raw 32 bytes; base64url and missing padding are accepted. Null for
 * anything else, including private keys and keys of other types.
 */
export function parsePublicKey(text: string): KeyObject | null {
  const pem = /^\s*-----BEGIN ([A-Z0-9 ]+)-----(.*)-----END \1-----\s*$/s.exec(text.replaceAll('\\n', '\n'))
  if (pem !== null && pem[1] !== 'PUBLIC KEY') return null
  const bytes = decodeBase64(pem === null ? text : pem[2]!)
  if (bytes === null) return null
  try {
    const key = createPublicKey({
      key: bytes.length === RAW_BYTES ? Buffer.concat([SPKI_PREFIX, bytes]) : bytes,
      format: 'der',
      type: 'spki',
    })
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

function decodeBase64(text: string): Buffer | null {
  const digits = text.replace(/\s/g, '')
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(digits) ? Buffer.from(digits, 'base64') : null
}
