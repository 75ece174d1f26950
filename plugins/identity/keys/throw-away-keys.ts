/** Keys that no issuer signs with: for debug tokens, and for the demo client whose private key is public. */
import type { Store } from 'svc/plugin'
import { generateJwk, type KeyPairAlgorithm } from '../jwt/algorithms.ts'
import type { StoredKey } from '../stores/records.ts'

/** A key by its use; made at first use. */
export type ThrowAwayKeys = (use: string, alg: KeyPairAlgorithm) => Promise<StoredKey>

/** Opens the keys. Of several replicas, one makes a key. */
export function createThrowAwayKeys(store: Store<StoredKey>): ThrowAwayKeys {
  return async (use, alg) => {
    const id = `${use}-${alg.toLowerCase()}`
    const known = await store.get(id)
    if (known !== undefined) return known
    await store.add(id, { kid: id, alg, jwk: await generateJwk(alg), from: 0, until: null })
    return (await store.get(id))!
  }
}
