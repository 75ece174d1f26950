/** The plan limiter: admits requests and calls, and reports which limit rejects them. It knows nothing about HTTP. */
import type { PlanLimits } from '../config/plans.ts'
import type { SessionKey } from '../contract/plugin.ts'
import type { LimitClock } from './clock.ts'
import { Counters } from './counters.ts'
import { Lease } from './lease.ts'
import { PlanAccount } from './plan-account.ts'
import { secondsLeft } from './period.ts'
import type { MemoryUse } from '../collections/memory-use.ts'
import { SessionCounters } from './session-counters.ts'
import type { SharedQuota } from './shared-quota.ts'
import type { QuotaState } from './quota-claims.ts'

/** In the order in which they are checked and listed. */
export const DIMENSIONS = ['requests', 'egress', 'rps', 'concurrency', 'streams'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Which limit rejected the request, and when a retry makes sense. */
export interface Refusal {
  dimension: Dimension
  /** Whole seconds. */
  retryAfterSecs: number
}

export interface Admission {
  lease: Lease
  /** Requests left in the period after this one; null without a quota. */
  remaining: number | null
}

export interface AdmissionOptions {
  /** The request is known to become a stream and needs a stream slot too. */
  isStream: boolean
  /** Counted but never rejected; takes no token. */
  isBypassed: boolean
}

export class PlanLimiter {
  readonly limits: PlanLimits
  readonly #clock: LimitClock
  readonly #instance: Counters
  readonly #sessions = new SessionCounters()
  readonly #quota: SharedQuota | null

  /** With `quota`, the counters of this replica are reported to it. */
  constructor(limits: PlanLimits, clock: LimitClock, quota: SharedQuota | null = null) {
    this.limits = limits
    this.#clock = clock
    this.#quota = quota
    this.#instance = this.#newCounters(null)
  }

  /** Of the counters of sessions. */
  memoryUse(): MemoryUse {
    return this.#sessions.memoryUse()
  }

  /** The counters of the instance; these are saved to the usage file. */
  get instance(): Counters {
    return this.#instance
  }

  /** The counters that all replicas share, for a request of this session; null without a state store. */
  accountOf(session: SessionKey): PlanAccount | null {
    return this.#use(session).account
  }

  /** The request was admitted by the state store. */
  adopt(session: SessionKey, state: QuotaState, { isStream, isBypassed }: AdmissionOptions): Admission {
    const counters = this.#use(session)
    counters.account?.adopt(state)
    return { lease: this.#lease(counters, isStream, isBypassed), remaining: this.#remaining(state) }
  }

  /** The call was admitted by the state store. */
  adoptCall(session: SessionKey, state: QuotaState): { giveBack(): void } {
    const counters = this.#use(session)
    counters.account?.adopt(state)
    return this.#call(counters)
  }

  /** Admits by the counters of this replica. Nothing is counted unless every limit passes. */
  admit(session: SessionKey, { isStream, isBypassed }: AdmissionOptions): Admission | Refusal {
    const counters = this.#use(session)
    if (!isBypassed) {
      const dimension =
        this.#quotaRefusal(counters, true) ?? this.#rateRefusal(counters) ?? this.#slotRefusal(counters, isStream)
      if (dimension !== null) return this.refuse(dimension)
      counters.bucket?.take()
    }
    counters.requests++
    counters.otherStreams = 0
    counters.account?.report({
      requests: { start: counters.period.start, by: 1 },
      flights: 1,
      ...(isStream && { streams: 1 }),
    })
    return { lease: this.#lease(counters, isStream, isBypassed), remaining: this.#remaining(counters) }
  }

  /** A call outside of HTTP: only the request quota and the rate apply. Call `giveBack` to undo an admission. */
  admitCall(session: SessionKey): Refusal | { giveBack(): void } {
    const counters = this.#use(session)
    const dimension = this.#quotaRefusal(counters, false) ?? this.#rateRefusal(counters)
    if (dimension !== null) return this.refuse(dimension)
    counters.bucket?.take()
    counters.requests++
    counters.account?.report({ requests: { start: counters.period.start, by: 1 } })
    return this.#call(counters)
  }

  refuse(dimension: Dimension): Refusal {
    const isQuota = dimension === 'requests' || dimension === 'egress'
    return { dimension, retryAfterSecs: isQuota ? secondsLeft(this.#currentInstance().period, this.#clock.wall()) : 1 }
  }

  /** The usage of a session; does not create counters for an unknown session. */
  read(session: SessionKey): Counters {
    if (this.limits.scope === 'instance') return this.#currentInstance()
    const counters = this.#sessions.peek(session.key) ?? this.#newCounters(session.key)
    counters.enter(this.#clock.wall())
    return counters
  }

  #use(session: SessionKey): Counters {
    if (this.limits.scope === 'instance') return this.#currentInstance()
    const counters = this.#sessions.use(session.key, this.#clock.monotonic(), () => this.#newCounters(session.key))
    counters.enter(this.#clock.wall())
    return counters
  }

  #currentInstance(): Counters {
    this.#instance.enter(this.#clock.wall())
    return this.#instance
  }

  /** Of a session, or null for the instance. */
  #newCounters(session: string | null): Counters {
    const counters = new Counters(this.limits, { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() })
    const [quota, limits, clock] = [this.#quota, this.limits, this.#clock]
    if (quota !== null) counters.account = new PlanAccount({ quota, session, limits, clock, counters })
    return counters
  }

  #lease(counters: Counters, isStream: boolean, isBypassed: boolean): Lease {
    return new Lease(counters, isBypassed ? Infinity : (this.limits.streams ?? Infinity), isStream)
  }

  #call(counters: Counters): { giveBack(): void } {
    const { start } = counters.period
    return {
      giveBack() {
        if (counters.period.start === start) counters.requests--
        counters.bucket?.giveBack()
        counters.account?.report({ requests: { start, by: -1 }, tokens: 1 })
      },
    }
  }

  #quotaRefusal(counters: Counters, withEgress: boolean): Dimension | null {
    const { requests, egressBytes } = this.limits
    if (requests !== null && counters.requests >= requests) return 'requests'
    return withEgress && egressBytes !== null && counters.egressBytes >= egressBytes ? 'egress' : null
  }

  #rateRefusal({ bucket }: Counters): Dimension | null {
    return bucket !== null && bucket.available(this.#clock.monotonic()) < 1 ? 'rps' : null
  }

  #slotRefusal(counters: Counters, isStream: boolean): Dimension | null {
    const { concurrency, streams } = this.limits
    if (concurrency !== null && counters.inFlight >= concurrency) return 'concurrency'
    return isStream && streams !== null && counters.openStreams >= streams ? 'streams' : null
  }

  #remaining({ requests }: Pick<Counters, 'requests'>): number | null {
    return this.limits.requests === null ? null : Math.max(0, this.limits.requests - requests)
  }
}
