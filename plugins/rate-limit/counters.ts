/** The counters: one for each window of a domain, its entries and a session. */
import { createHash } from 'node:crypto'
import type { SessionKey, Store, Svc } from 'svc/plugin'
import type { Entry } from './limit.ts'

export interface Counter {
  /** Whose requests it counts; see `ownerOf`. */
  owner: string
  domain: string
  /** Null if they are too long to be kept; then a digest distinguishes them. */
  entries: readonly Entry[] | null
  windowSecs: number
  /** Seconds since 1970. */
  endsAt: number
}

const MAX_COUNT = { normal: 10_000, public: 1000 }
const MAX_BYTES = { normal: 16 * 1024 * 1024, public: 2 * 1024 * 1024 }
/** Public: counters of one session or client. */
const MAX_OF_OWNER = 200
/** Longer entries are kept as a digest. */
const MAX_KEPT = 2000
/** A counter outlives its window a little, for replicas whose clocks differ. */
const GRACE_MS = 5000

export class Counters {
  readonly #store: Store<number>

  constructor(svc: Pick<Svc<unknown>, 'state' | 'config'>) {
    const { publicMode } = svc.config
    this.#store = svc.state<number>('counters', {
      maxCount: publicMode ? MAX_COUNT.public : MAX_COUNT.normal,
      maxBytes: publicMode ? MAX_BYTES.public : MAX_BYTES.normal,
      evict: 'expiring',
      ...(publicMode ? { maxPerGroup: MAX_OF_OWNER } : {}),
    })
  }

  /** Adds hits and returns the new count; 0 hits only look. */
  async add(counter: Counter & { entries: readonly Entry[] }, hits: number): Promise<number> {
    const key = keyOf(counter)
    if (hits === 0) return (await this.#store.peek(key)) ?? 0
    const ttlMs = Math.max(1, counter.endsAt * 1000 - Date.now()) + GRACE_MS
    return this.#store.increment(key, hits, { group: counter.owner, ttlMs })
  }

  /** The counters of windows that have not ended; of one owner, or all (null). */
  async list(owner: string | null): Promise<(Counter & { count: number })[]> {
    const now = Date.now() / 1000
    const kept = await this.#store.list({ newestFirst: true, ...(owner === null ? {} : { group: owner }) })
    return kept.map(({ key, value }) => ({ ...counterOf(key), count: value })).filter(({ endsAt }) => endsAt > now)
  }

  /** Removes the counters of one owner, or all (null). Returns the number of those removed. */
  clear(owner: string | null): Promise<number> {
    return this.#store.clear((_count, key) => owner === null || counterOf(key).owner === owner)
  }
}

/** Whose requests are counted together: those of a named session; in public mode otherwise those of a client. */
export function ownerOf(session: string | null, key: SessionKey['key'], isPublic: boolean): string {
  if (session !== null) return `session:${session}`
  return isPublic ? `client:${key}` : ''
}

function keyOf({ owner, domain, entries, windowSecs, endsAt }: Counter & { entries: readonly Entry[] }): string {
  const pairs = entries.map(({ key, value }) => [key, value])
  const text = JSON.stringify(pairs)
  const kept = text.length <= MAX_KEPT ? pairs : createHash('sha256').update(text).digest('base64url')
  return JSON.stringify([owner, domain, windowSecs, endsAt, kept])
}

function counterOf(key: string): Counter {
  const [owner, domain, windowSecs, endsAt, kept] = JSON.parse(key) as [
    string,
    string,
    number,
    number,
    [string, string][] | string,
  ]
  const entries = typeof kept === 'string' ? null : kept.map(([name, value]) => ({ key: name, value }))
  return { owner, domain, entries, windowSecs, endsAt }
}
