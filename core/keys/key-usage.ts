/** Request counts per key on the current day, within bounds. */
import type { MemoryUse } from '../collections/memory-use.ts'
import { periodAt, type Period } from '../limits/period.ts'
import { TokenBucket } from '../limits/token-bucket.ts'
import type { KeyRecord } from './api-key.ts'

const MAX_IDS = 10_000
/** Memory of the counts of a key. */
const COUNTS_BYTES = 512

/** The counts of one key on one day. */
export interface KeyCounts {
  readonly id: string
  /** Requests of the day, including those of other instances as far as known. */
  total: number
  /** Requests not yet reported to the quota store; below 0 if too many were reported. */
  pending: number
  instanceUsed: number
  rejectedByRate: number
  rejectedByQuota: number
  /** Milliseconds since 1970. */
  lastSeen: number | null
  bucket: { rps: number; burst: number; tokens: TokenBucket } | null
}

export class KeyUsage {
  /** Least recently used first. */
  readonly #counts = new Map<string, KeyCounts>()
  #day: Period

  constructor(now: number) {
    this.#day = periodAt('day', now)
  }

  /** The current day. A new day resets all counts. */
  day(now: number): Period {
    if (now < this.#day.start || now >= this.#day.end) {
      this.#day = periodAt('day', now)
      this.#counts.clear()
    }
    return this.#day
  }

  memoryUse(): MemoryUse {
    return { entries: this.#counts.size, bytes: COUNTS_BYTES * this.#counts.size }
  }

  get(id: string): KeyCounts | undefined {
    return this.#counts.get(id)
  }

  list(): KeyCounts[] {
    return [...this.#counts.values()]
  }

  /** The counts of a key, with a bucket for its current rate; `monotonic` in milliseconds. */
  use(record: KeyRecord, now: { wall: number; monotonic: number }): KeyCounts {
    this.day(now.wall)
    let counts = this.#counts.get(record.id)
    if (counts !== undefined) this.#counts.delete(record.id)
    else {
      if (this.#counts.size >= MAX_IDS) this.#counts.delete(this.#counts.keys().next().value!)
      counts = {
        id: record.id,
        total: 0,
        pending: 0,
        instanceUsed: 0,
        rejectedByRate: 0,
        rejectedByQuota: 0,
        lastSeen: null,
        bucket: null,
      }
    }
    this.#counts.set(record.id, counts)
    counts.lastSeen = now.wall
    const { rps } = record
    if (rps === null) counts.bucket = null
    else if (counts.bucket?.rps !== rps || counts.bucket.burst !== (record.burst ?? rps)) {
      const burst = record.burst ?? rps
      counts.bucket = { rps, burst, tokens: new TokenBucket(rps, burst, now.monotonic) }
    }
    return counts
  }
}
