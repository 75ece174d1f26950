/**
 * The keys of an issuer and their times. Which key signs, and which keys are published, follows from the record and the
 * clock alone, so that replicas agree without timers. Times are in milliseconds since 1970.
 */
import type { JWK } from 'jose'
import type { KeyPairAlgorithm } from '../jwt/algorithms.ts'
import type { KeyRecord, StoredKey } from '../stores/records.ts'

/** Keys that an issuer keeps; older ones are gone. */
const MAX_KEYS = 8
const MAX_SWITCHES = 16

/** How the key changes. */
export const ROTATION_MODES = ['graceful', 'announce', 'hard', 'late', 'revert'] as const
/** How the key changes. */
export type RotationMode = (typeof ROTATION_MODES)[number]

/** A rotation: the new key (null for `revert`) and its times in seconds. */
export interface Rotation {
  mode: RotationMode
  graceS: number
  delayS: number
}

/** The id of a key: `full-es256-2`. The first key of the default issuer has a fixed name. */
export function keyId(issuer: string, alg: KeyPairAlgorithm, number: number): string {
  if (issuer !== 'default') return `${issuer}-${alg.toLowerCase()}-${number}`
  const name = `svc-${alg.toLowerCase()}-key`
  return number === 1 ? name : `${name}-${number}`
}

/** A record with a first key for each algorithm; the first one signs. */
export function createRecord(issuer: string, keys: { alg: KeyPairAlgorithm; jwk: JWK }[], now: number): KeyRecord {
  const stored = keys.map(({ alg, jwk }) => ({ kid: keyId(issuer, alg, 1), alg, jwk, from: 0, until: null }))
  return {
    keys: stored,
    switches: [{ at: 0, kid: stored[0]!.kid }],
    numbers: Object.fromEntries(keys.map(({ alg }) => [alg, 1])),
    rotatedAt: now,
    algorithms: keys.map(({ alg }) => alg),
  }
}

/** Whether the record fits the algorithms of the settings. */
export function fitsAlgorithms({ algorithms }: KeyRecord, wanted: readonly KeyPairAlgorithm[]): boolean {
  return algorithms.length === wanted.length && wanted.every((alg, index) => algorithms[index] === alg)
}

/** The record for other settings: keys of other algorithms end, missing ones are added, and the first algorithm signs. */
export function withAlgorithms(
  record: KeyRecord,
  issuer: string,
  made: readonly { alg: KeyPairAlgorithm; jwk: JWK }[],
  now: number,
): KeyRecord {
  const algorithms = made.map(({ alg }) => alg)
  const numbers = { ...record.numbers }
  const kept = record.keys.map(key =>
    algorithms.includes(key.alg) || !isLive(key, now) ? key : { ...key, until: now },
  )
  const missing = made.filter(({ alg }) => !kept.some(key => key.alg === alg && isLive(key, now)))
  const added = missing.map(({ alg, jwk }): StoredKey => {
    const number = (numbers[alg] = (numbers[alg] ?? 0) + 1)
    return { kid: keyId(issuer, alg, number), alg, jwk, from: now, until: null }
  })
  const past = record.switches.filter(({ at }) => at <= now)
  const keys = [...kept, ...added]
  const isRight = signingKey(record, now).alg === algorithms[0]
  const { kid } = keys.findLast(key => key.alg === algorithms[0] && isLive(key, now))!
  const switches = isRight ? past : [...past, { at: now, kid }]
  return bounded({ ...record, keys, switches, numbers, algorithms })
}

function isLive({ until }: StoredKey, now: number): boolean {
  return until === null || now < until
}

/** The key that signs by default. */
export function signingKey({ keys, switches }: KeyRecord, now: number): StoredKey {
  const kid = switches.findLast(({ at }) => at <= now)?.kid
  return keys.find(key => key.kid === kid) ?? keys.at(-1)!
}

/** The key that signs with an algorithm: the default key, or the newest published one of the algorithm. */
export function keyOfAlgorithm(record: KeyRecord, alg: KeyPairAlgorithm, now: number): StoredKey | undefined {
  const signing = signingKey(record, now)
  return signing.alg === alg ? signing : publishedKeys(record, now).find(key => key.alg === alg)
}

/**
 * The key that signs ID tokens: of the algorithm that the client asked for, else RS256, which clients that asked for nothing
 * expect (OpenID Connect Registration, 2), else the default key. A key that retires is not chosen without being asked for.
 */
export function idTokenKey(record: KeyRecord, asked: KeyPairAlgorithm | undefined, now: number): StoredKey {
  const chosen = asked === undefined ? undefined : keyOfAlgorithm(record, asked, now)
  const rsa = keyOfAlgorithm(record, 'RS256', now)
  return chosen ?? (rsa?.until === null ? rsa : signingKey(record, now))
}

/** The keys of the JWK Set: the signing key first, the others newest first. */
export function publishedKeys(record: KeyRecord, now: number): StoredKey[] {
  const signing = signingKey(record, now)
  const published = record.keys.filter(({ from, until }) => from <= now && (until === null || now < until)).toReversed()
  return [...published.filter(key => key === signing), ...published.filter(key => key !== signing)]
}

/** The keys that the issuer accepts itself: the published ones and the signing one. */
export function acceptedKeys(record: KeyRecord, now: number): StoredKey[] {
  const published = publishedKeys(record, now)
  const signing = signingKey(record, now)
  return published.includes(signing) ? published : [signing, ...published]
}

/** The keys of the JWK Set before the last rotation. */
export function staleKeys(record: KeyRecord, now: number): StoredKey[] {
  const last = record.switches.findLast(({ at }) => at <= now)!
  return last.at === 0 ? publishedKeys(record, now) : publishedKeys(record, last.at - 1)
}

/** The signing key before the current one, if it is still kept. */
export function previousKey(record: KeyRecord, now: number): StoredKey | undefined {
  const current = signingKey(record, now)
  const before = record.switches.findLast(({ at, kid }) => at <= now && kid !== current.kid)
  return record.keys.find(({ kid }) => kid === before?.kid)
}

/** The key that will sign next, if a switch is planned. */
export function nextKey({ keys, switches }: KeyRecord, now: number): StoredKey | undefined {
  const planned = switches.find(({ at }) => at > now)
  return keys.find(({ kid }) => kid === planned?.kid)
}

/** What a key is for at the moment. */
export type KeyState = 'next' | 'current' | 'previous'

/** The state of a key: each algorithm has a current key. */
export function stateOf(record: KeyRecord, key: StoredKey, now: number): KeyState {
  if (nextKey(record, now) === key) return 'next'
  return keyOfAlgorithm(record, key.alg, now) === key ? 'current' : 'previous'
}

/** Adds a key, and ends the time of the keys that it replaces. `issuer` names the key. */
export function rotate(
  record: KeyRecord,
  issuer: string,
  { mode, graceS, delayS }: Rotation,
  added: { alg: KeyPairAlgorithm; jwk: JWK } | null,
  now: number,
): KeyRecord {
  const replaced = new Set(replacedKeys(record, added?.alg ?? null, now))
  if (added === null) return revert(record, replaced, now)
  const number = (record.numbers[added.alg] ?? 0) + 1
  const switchAt = mode === 'announce' ? now + delayS * 1000 : now
  const from = mode === 'late' ? now + delayS * 1000 : now
  const until = mode === 'hard' ? now : Math.max(switchAt, from) + graceS * 1000
  const key: StoredKey = { kid: keyId(issuer, added.alg, number), ...added, from, until: null }
  // A key that retires already keeps its time, which was announced; `hard` ends all at once.
  const retire = (known: StoredKey): StoredKey => ({
    ...known,
    until: mode === 'hard' ? until : (known.until ?? until),
  })
  return bounded({
    ...record,
    keys: [...record.keys.map(known => (replaced.has(known) ? retire(known) : known)), key],
    // A rotation replaces one that is planned.
    switches: [...record.switches.filter(({ at }) => at <= now), { at: switchAt, kid: key.kid }],
    numbers: { ...record.numbers, [added.alg]: number },
    rotatedAt: now,
  })
}

function revert(record: KeyRecord, replaced: ReadonlySet<StoredKey>, now: number): KeyRecord {
  const previous = previousKey(record, now)
  if (previous === undefined) return record
  return bounded({
    ...record,
    keys: record.keys.map(key =>
      key === previous ? { ...key, from: 0, until: null } : replaced.has(key) ? { ...key, until: now } : key,
    ),
    switches: [...record.switches.filter(({ at }) => at <= now), { at: now, kid: previous.kid }],
    rotatedAt: now,
  })
}

/** The record without its rotations: the oldest kept key of each algorithm. Ids of keys are not used again. */
export function withoutRotations(record: KeyRecord, now: number): KeyRecord {
  const oldest = record.algorithms.flatMap(alg => record.keys.find(key => key.alg === alg) ?? [])
  return {
    ...record,
    keys: oldest.map(key => ({ ...key, from: 0, until: null })),
    switches: [{ at: 0, kid: oldest[0]!.kid }],
    rotatedAt: now,
  }
}

/** Keys of the algorithm that are still published or planned; without one, those of the signing algorithm. */
function replacedKeys(record: KeyRecord, alg: KeyPairAlgorithm | null, now: number): StoredKey[] {
  const live = record.keys.filter(key => isLive(key, now))
  const ofAlgorithm = live.filter(key => key.alg === alg)
  const signing = signingKey(record, now)
  return ofAlgorithm.length > 0 ? ofAlgorithm : live.filter(key => key.alg === signing.alg)
}

/** Drops the oldest keys, but none that an algorithm still needs. */
function bounded(record: KeyRecord): KeyRecord {
  const newest = new Set(
    record.keys.filter((key, index) => record.keys.findLastIndex(k => k.alg === key.alg) === index),
  )
  const named = new Set([record.switches.at(-1)?.kid, record.switches.at(-2)?.kid])
  let excess = record.keys.length - MAX_KEYS
  const keys = record.keys.filter(key => newest.has(key) || named.has(key.kid) || excess-- <= 0)
  return { ...record, keys, switches: record.switches.slice(-MAX_SWITCHES) }
}
