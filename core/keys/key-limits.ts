/**
 * Admits requests of a key by its rate limit and daily quota, on this instance alone or shared with other instances.
 */
import type { LimitClock } from '../limits/clock.ts'
import { secondsLeft } from '../limits/period.ts'
import type { QuotaAccount, SharedQuota } from '../limits/shared-quota.ts'
import type { KeyRecord } from './api-key.ts'
import { KeyUsage, type KeyCounts } from './key-usage.ts'
import type { DailyCounts } from '../state/shared-backend.ts'
import type { QuotaClaim, QuotaState, QuotaSubject } from '../limits/quota-claims.ts'

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

export interface KeyLimitsOptions {
  /** Counts the daily quota of all instances; null without `SVC_QUOTA_STORE`. */
  store: DailyCounts | null
  /** Counts for all replicas: the rate, and without a quota store the daily quota. Null without a state store. */
  quota: SharedQuota | null
  clock: LimitClock
}

/** The counters of keys are kept for this time after their day. */
const GRACE_MS = 3_600_000
/** The counters of keys in the state store. */
export const KEY_GROUP = 'k'
const NO_SLOTS = { flights: 0, streams: 0 }

export class KeyLimits {
  readonly usage: KeyUsage
  readonly #store: DailyCounts | null
  readonly #quota: SharedQuota | null
  readonly #clock: LimitClock

  constructor({ store, quota, clock }: KeyLimitsOptions) {
    this.usage = new KeyUsage(clock.wall())
    this.#store = store
    this.#quota = quota
    this.#clock = clock
  }

  /** What a request asks of the counters that all replicas share; null if the state store counts nothing of this key. */
  claim(record: KeyRecord): QuotaClaim | null {
    const isCounted = this.#store === null
    if (this.#quota === null || (!isCounted && record.rps === null)) return null
    this.usage.use(record, { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() })
    const checks: QuotaClaim['checks'] = record.rps === null ? [] : ['rps']
    if (isCounted && record.dailyRequests !== null) checks.push('requests')
    return { ...this.subject(record), checks, isCounted, takesToken: record.rps !== null, isNoted: true }
  }

  /** The counters of a key in the state store. */
  subject(record: KeyRecord): QuotaSubject {
    const wall = this.#clock.wall()
    const { start, end } = this.usage.day(wall)
    const { id, rps, burst, dailyRequests } = record
    const total = this.#store === null ? (this.usage.get(id)?.total ?? 0) : 0
    const unreported = this.#quota?.unreported(accountId(id)) ?? { requests: 0 }
    return {
      id: accountId(id),
      group: KEY_GROUP,
      wall,
      start,
      finish: end,
      life: end - start + GRACE_MS,
      known: { requests: Math.max(0, total - unreported.requests), egress: 0 },
      ...(rps !== null && { rate: { rps, burst: burst ?? rps } }),
      ...(dailyRequests !== null && { limits: { requests: dailyRequests } }),
    }
  }

  /**
   * The state store has admitted the request by its rate, and by its daily quota unless a quota store counts it: then the
   * admission is still to come.
   */
  adopt(record: KeyRecord, { requests }: QuotaState): KeyAdmission | Promise<KeyAdmission | KeyRefusal> | KeyRefusal {
    const counts = this.#counts(record)
    if (this.#store !== null) return this.#admitByQuota(record, counts)
    counts.total = requests + (this.#quota?.unreported(accountId(record.id)).requests ?? 0)
    return this.#take(record, counts, () => {
      counts.total--
    })
  }

  /** The state store has rejected the request. */
  refusal(record: KeyRecord, limit: KeyRefusal['limit'], { requests }: QuotaState): KeyRefusal {
    const counts = this.#counts(record)
    if (this.#store === null) counts.total = requests
    if (limit === 'key-requests') counts.rejectedByQuota++
    else counts.rejectedByRate++
    return this.#refusal(record, limit, counts)
  }

  /**
   * Admits by the counters of this replica, and the quota store if there is one, for which a promise is returned. Nothing is
   * counted unless both limits pass.
   */
  admit(record: KeyRecord): KeyAdmission | KeyRefusal | Promise<KeyAdmission | KeyRefusal> {
    const counts = this.#counts(record)
    const bucket = counts.bucket?.tokens
    if (bucket !== undefined && bucket.available(this.#clock.monotonic()) < 1) {
      counts.rejectedByRate++
      return this.#refusal(record, 'key-rps', counts)
    }
    bucket?.take()
    return this.#admitByQuota(record, counts)
  }

  #admitByQuota(record: KeyRecord, counts: KeyCounts): KeyAdmission | KeyRefusal | Promise<KeyAdmission | KeyRefusal> {
    return this.#store?.isUp ? this.#admitTogether(record, counts, this.#store) : this.#admitAlone(record, counts)
  }

  async #admitTogether(record: KeyRecord, counts: KeyCounts, store: DailyCounts): Promise<KeyAdmission | KeyRefusal> {
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
  #undo(counts: KeyCounts, store: DailyCounts, day: ReturnType<KeyUsage['day']>): void {
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
    else this.#report(record, { requests: 1 })
    return this.#take(record, counts, () => {
      counts.total--
      if (isPending) counts.pending--
    })
  }

  #take(record: KeyRecord, counts: KeyCounts, uncount: () => void): KeyAdmission {
    counts.instanceUsed++
    let isGivenBack = false
    const giveBackToken = (): void => {
      counts.bucket?.tokens.giveBack()
      this.#report(record, { requests: this.#store === null ? -1 : 0, tokens: 1 })
    }
    return {
      remaining: record.dailyRequests === null ? null : Math.max(0, record.dailyRequests - counts.total),
      giveBack() {
        if (isGivenBack) return
        isGivenBack = true
        uncount()
        counts.instanceUsed--
        giveBackToken()
      },
    }
  }

  #refuse(record: KeyRecord, counts: KeyCounts): KeyRefusal {
    counts.rejectedByQuota++
    counts.bucket?.tokens.giveBack()
    this.#report(record, { requests: 0, tokens: 1 })
    return this.#refusal(record, 'key-requests', counts)
  }

  #refusal({ dailyRequests }: KeyRecord, limit: KeyRefusal['limit'], { total }: KeyCounts): KeyRefusal {
    if (limit === 'key-rps') return { limit, retryAfterSecs: 1, used: total }
    const wall = this.#clock.wall()
    return {
      limit,
      retryAfterSecs: secondsLeft(this.usage.day(wall), wall),
      used: Math.min(total, dailyRequests ?? total),
    }
  }

  #counts(record: KeyRecord): KeyCounts {
    return this.usage.use(record, { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() })
  }

  /** To the state store, if there is one. */
  #report(record: KeyRecord, { requests, tokens = 0 }: { requests: number; tokens?: number }): void {
    if (this.#quota === null || (requests === 0 && (tokens === 0 || record.rps === null))) return
    const account: QuotaAccount = { subject: () => this.subject(record), slots: () => NO_SLOTS }
    const { start } = this.usage.day(this.#clock.wall())
    this.#quota.report(accountId(record.id), account, { requests: { start, by: requests }, tokens })
  }
}

/** The id of a key's counters in the state store. */
function accountId(id: string): string {
  return `${KEY_GROUP}:${id}`
}

export function keyOfAccount(id: string): string {
  return id.slice(KEY_GROUP.length + 1)
}
