/** Keys of records in the form in which Node uses them. Importing costs as much as signing, so they are cached. */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { BoundedMap } from 'svc/toolkit'
import type { JWK } from 'jose'
import type { StoredKey } from '../stores/records.ts'

/** A key pair that can sign and verify. */
export interface ImportedKey {
  privateKey: KeyObject
  publicKey: KeyObject
}

/** Imports a key, or returns it from the cache. */
export type ImportKey = (key: Pick<StoredKey, 'kid' | 'jwk'>) => ImportedKey

const MAX_IMPORTED = 500

/** Creates the cache. It survives reloads. */
export function createImportedKeys(): BoundedMap<ImportedKey> {
  return new BoundedMap(MAX_IMPORTED)
}

/** Imports keys through a cache. */
export function importThrough(cache: BoundedMap<ImportedKey>): ImportKey {
  return ({ jwk }) => {
    const id = thumbprintText(jwk)
    const known = cache.get(id)
    if (known !== undefined) return known
    const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
    const imported = { privateKey, publicKey: createPublicKey(privateKey) }
    cache.set(id, imported)
    return imported
  }
}

/** Identifies a public key: the members of its thumbprint (RFC 7638, 3.2; RFC 8037, 2), as text. */
export function thumbprintText({ kty, crv, x, y, n, e }: JWK): string {
  if (kty === 'RSA') return JSON.stringify({ e, kty, n })
  return kty === 'OKP' ? JSON.stringify({ crv, kty, x }) : JSON.stringify({ crv, kty, x, y })
}

/** A key for a JWK Set: public members only. */
export function publicJwk({ kid, alg, jwk: { kty, crv, x, y, n, e } }: Pick<StoredKey, 'kid' | 'alg' | 'jwk'>): JWK {
  const members = kty === 'RSA' ? { n, e } : kty === 'OKP' ? { crv, x } : { crv, x, y }
  return { kty, alg, use: 'sig', kid, ...members } as JWK
}
