/** The keys of one issuer: made at first use, kept in a store, rotated on request or by the clock. */
import type { KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { MirroredStore } from 'svc/toolkit'
import { generateJwk, type KeyPairAlgorithm } from '../jwt/algorithms.ts'
import type { KeyRecord, StoredKey } from '../stores/records.ts'
import { type ImportKey, publicJwk } from './imported-keys.ts'
import {
  acceptedKeys,
  createRecord,
  fitsAlgorithms,
  idTokenKey,
  keyOfAlgorithm,
  rotate,
  type Rotation,
  signingKey,
  withAlgorithms,
  withoutRotations,
} from './key-record.ts'

/** How long an old key stays published after an automatic rotation, in seconds. */
const AUTOMATIC_GRACE_S = 600

/** A key that signs. */
export interface SigningKey {
  kid: string
  alg: KeyPairAlgorithm
  privateKey: KeyObject
}

/** The keys of one issuer. */
export interface IssuerKeys {
  record(): Promise<KeyRecord>
  /** The algorithms of the settings, and those that rotations added. */
  algorithms(): Promise<readonly KeyPairAlgorithm[]>
  /** The key that signs, by default or with an algorithm; undefined if the issuer has no key for the algorithm. */
  signing(algorithm?: KeyPairAlgorithm): Promise<SigningKey | undefined>
  /** The algorithm of the ID tokens and logout tokens of a client that asked for one, or for nothing. */
  idTokenAlgorithm(asked?: KeyPairAlgorithm): Promise<KeyPairAlgorithm>
  /** The public keys that the issuer accepts: those of its JWK Set, and the signing one. */
  accepted(): Promise<JWK[]>
  /** The same, imported, with their algorithms. */
  verifying(): Promise<{ alg: KeyPairAlgorithm; key: KeyObject; id: string }[]>
  /** Adds a key, or returns to the previous one. `algorithm` defaults to that of the signing key. */
  rotate(rotation: Rotation, algorithm?: KeyPairAlgorithm): Promise<KeyRecord>
  /** Returns to the oldest kept key of each algorithm. Returns false if there was no rotation. */
  undoRotations(): Promise<boolean>
}

/** How an issuer gets its keys. */
export interface KeySource {
  issuer: string
  algorithms: readonly KeyPairAlgorithm[]
  /** Seconds between automatic rotations; 0 for none. */
  rotateEveryS?: number
  records: MirroredStore<KeyRecord>
  importKey: ImportKey
  /** The first key, if it exists already; it is not copied to the store before the first rotation. */
  first?: () => JWK
}

/** Opens the keys of an issuer. */
export function createIssuerKeys({
  issuer,
  algorithms,
  rotateEveryS = 0,
  records,
  importKey,
  first,
}: KeySource): IssuerKeys {
  let making: Promise<KeyRecord> | null = null

  async function record(): Promise<KeyRecord> {
    const stored = await records.get(issuer)
    if (stored !== undefined) return fitsAlgorithms(stored, algorithms) ? renewed(stored) : fitted(stored)
    if (first !== undefined) return initial(first())
    // Requests at the same time wait for the same keys: to make an RSA key takes long.
    making ??= makeFirst().finally(() => (making = null))
    return making
  }

  async function makeFirst(): Promise<KeyRecord> {
    const keys = await generateAll()
    // Of several replicas, one makes the keys.
    await records.add(issuer, createRecord(issuer, keys, Date.now()))
    return (await records.get(issuer))!
  }

  /** Rotates the signing key if its time is over. Of several callers, one adds the key. */
  async function renewed(stored: KeyRecord): Promise<KeyRecord> {
    const now = Date.now()
    if (rotateEveryS === 0 || now < stored.rotatedAt + rotateEveryS * 1000) return stored
    const { alg } = signingKey(stored, now)
    const jwk = await generateJwk(alg)
    const graceS = Math.min(rotateEveryS, AUTOMATIC_GRACE_S)
    const current = await records.update(issuer, found =>
      found?.rotatedAt === stored.rotatedAt
        ? rotate(found, issuer, { mode: 'graceful', graceS, delayS: 0 }, { alg, jwk }, now)
        : (found ?? stored),
    )
    return current!
  }

  function initial(jwk: JWK): KeyRecord {
    return createRecord(issuer, [{ alg: algorithms[0]!, jwk }], 0)
  }

  function generateAll(): Promise<{ alg: KeyPairAlgorithm; jwk: JWK }[]> {
    return Promise.all(algorithms.map(async alg => ({ alg, jwk: await generateJwk(alg) })))
  }

  /** The keys for settings that have changed. Of several callers, one changes the record. */
  async function fitted(stored: KeyRecord): Promise<KeyRecord> {
    const made = await generateAll()
    const now = Date.now()
    const current = await records.update(issuer, found => {
      const known = found ?? stored
      return fitsAlgorithms(known, algorithms) ? known : withAlgorithms(known, issuer, made, now)
    })
    return current!
  }

  const signer = (key: StoredKey): SigningKey => ({
    kid: key.kid,
    alg: key.alg,
    privateKey: importKey(key).privateKey,
  })

  return {
    record,
    async algorithms() {
      const keys = acceptedKeys(await record(), Date.now())
      return [...new Set([...algorithms, ...keys.map(({ alg }) => alg)])]
    },
    async signing(algorithm) {
      const current = await record()
      const now = Date.now()
      const key = algorithm === undefined ? signingKey(current, now) : keyOfAlgorithm(current, algorithm, now)
      return key === undefined ? undefined : signer(key)
    },
    async idTokenAlgorithm(asked) {
      return idTokenKey(await record(), asked, Date.now()).alg
    },
    async accepted() {
      return acceptedKeys(await record(), Date.now()).map(publicJwk)
    },
    async verifying() {
      const keys = acceptedKeys(await record(), Date.now())
      return keys.map(key => ({
        alg: key.alg,
        key: importKey(key).publicKey,
        id: `${key.kid} ${key.jwk.n ?? key.jwk.x}`,
      }))
    },
    async rotate(rotation, algorithm) {
      const before = await record()
      const now = Date.now()
      const alg = algorithm ?? signingKey(before, now).alg
      const added = rotation.mode === 'revert' ? null : { alg, jwk: await generateJwk(alg) }
      const rotated = await records.update(issuer, current => rotate(current ?? before, issuer, rotation, added, now))
      return rotated!
    },
    async undoRotations() {
      const before = await records.get(issuer)
      if (before === undefined || before.switches.length === 1) return false
      const now = Date.now()
      await records.update(issuer, current => withoutRotations(current ?? before, now))
      return true
    },
  }
}
