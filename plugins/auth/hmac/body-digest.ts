/** Compares the `Digest` header (RFC 3230, 4.3.2) with the body. */
import { createHash } from 'node:crypto'
import { isSameSecret } from 'svc/toolkit'

const ALGORITHMS = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

/** Whether every digest with a supported algorithm matches the body; `unusable` when no algorithm is supported. */
export function checkBodyDigest(field: string, body: Buffer): 'match' | 'mismatch' | 'unusable' {
  const supported = field.split(',').flatMap(entry => {
    const equals = entry.indexOf('=')
    const algorithm = ALGORITHMS.get(entry.slice(0, Math.max(equals, 0)).trim().toLowerCase())
    return algorithm === undefined ? [] : [{ algorithm, value: entry.slice(equals + 1).trim() }]
  })
  if (supported.length === 0) return 'unusable'
  const digests = new Map(
    [...new Set(supported.map(entry => entry.algorithm))].map(name => [name, createHash(name).update(body).digest()]),
  )
  return supported.every(({ algorithm, value }) => isSameSecret(Buffer.from(value, 'base64'), digests.get(algorithm)!))
    ? 'match'
    : 'mismatch'
}
