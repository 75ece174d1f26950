/**
 * Admits requests of a key by its rate limit and daily quota, on this instance alone or shared with other instances.
 */
import type { LimitClock } from '../limits/clock.ts'
import { secondsLeft } from '../limits/period.ts'
import type { KeyRecord } from './api-key.ts'
import { KeyUsage } from './key-usage.ts'
import type { KeyCounts } from './key-usage.ts'
import type { QuotaStore } from './quota-store.ts'

export interface KeyAdmission {
  /** Requests left today after this one; null without a quota. */
  remaining: number | null
  /** Undoes the count, because the request was not served after all. */
  giveBack(): void
}

export interface KeyRefusal {
  limit: 'key-rps' | 'key-requests'
  retryAfterSecs: number
  used: number
}

export class KeyLimits {
  readonly usage: KeyUsage
  readonly #store: QuotaStore | null
  readonly #clock: LimitClock

  constructor(store: QuotaStore | null, clock: LimitClock) {
    this.usage = new KeyUsage(clock.wall())
    this.#store = store
    this.#clock = clock
  }

  /** Returns a promise only while a quota store is in use. Nothing is counted unless both limits pass. */
  admit(record: KeyRecord): KeyAdmission | KeyRefusal | Promise<KeyAdmission | KeyRefusal> {
    const now = { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() }
    const counts = this.usage.use(record, now)
    const bucket = counts.bucket?.tokens
    if (bucket !== undefined && bucket.available(now.monotonic) < 1) {
      counts.rejectedByRate++
      return { limit: 'key-rps', retryAfterSecs: 1, used: counts.total }
    }
    bucket?.take()
    return this.#store?.isUp ? this.#admitTogether(record, counts, this.#store) : this.#admitAlone(record, counts)
  }

  async #admitTogether(record: KeyRecord, counts: KeyCounts, store: QuotaStore): Promise<KeyAdmission | KeyRefusal> {
    const day = this.usage.day(this.#clock.wall())
    const total = await store.increment(record.id, day)
    if (total === null) return this.#admitAlone(record, counts)
    counts.total = total
    if (record.dailyRequests !== null && total > record.dailyRequests) {
      this.#undo(counts, store, day)
      return this.#refuse(record, counts)
    }
    return this.#take(record, counts, () => this.#undo(counts, store, day))
  }

  /** Undoes one count in the store. If that fails, it is reported to the store after the reconnect. */
  #undo(counts: KeyCounts, store: QuotaStore, day: ReturnType<KeyUsage['day']>): void {
    counts.total--
    void store.decrement(counts.id, day).then(total => {
      if (total === null) counts.pending--
      else counts.total = total
    })
  }

  #admitAlone(record: KeyRecord, counts: KeyCounts): KeyAdmission | KeyRefusal {
    if (record.dailyRequests !== null && counts.total >= record.dailyRequests) return this.#refuse(record, counts)
    const isPending = this.#store !== null
    counts.total++
    if (isPending) counts.pending++
    return this.#take(record, counts, () => {
      counts.total--
      if (isPending) counts.pending--
    })
  }

  #take(record: KeyRecord, counts: KeyCounts, uncount: () => void): KeyAdmission {
    counts.instanceUsed++
    let isGivenBack = false
    return {
      remaining: record.dailyRequests === null ? null : Math.max(0, record.dailyRequests - counts.total),
      giveBack() {
        if (isGivenBack) return
        isGivenBack = true
        uncount()
        counts.instanceUsed--
        counts.bucket?.tokens.giveBack()
      },
    }
  }

  #refuse(record: KeyRecord, counts: KeyCounts): KeyRefusal {
    counts.rejectedByQuota++
    counts.bucket?.tokens.giveBack()
    const wall = this.#clock.wall()
    return {
      limit: 'key-requests',
      retryAfterSecs: secondsLeft(this.usage.day(wall), wall),
      used: Math.min(counts.total, record.dailyRequests ?? counts.total),
    }
  }
}
