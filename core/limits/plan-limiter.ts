/** The plan: admits requests and calls, and tells which limit refuses them. Nothing of HTTP is known here. */
import type { PlanLimits } from '../config/plans.ts'
import type { SessionKey } from '../contract/plugin.ts'
import type { LimitClock } from './clock.ts'
import { Counters } from './counters.ts'
import { Lease } from './lease.ts'
import { secondsLeft } from './period.ts'
import { SessionCounters } from './session-counters.ts'

/** In the order in which they are tested and listed. */
export const DIMENSIONS = ['requests', 'egress', 'rps', 'concurrency', 'streams'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Which limit refused, and when it is worth trying again. */
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
  /** Known to become a stream: needs a stream slot too. */
  isStream: boolean
  /** Counted, never refused, takes no token. */
  isBypassed: boolean
}

export class PlanLimiter {
  readonly limits: PlanLimits
  readonly #clock: LimitClock
  readonly #instance: Counters
  readonly #sessions = new SessionCounters()

  constructor(limits: PlanLimits, clock: LimitClock) {
    this.limits = limits
    this.#clock = clock
    this.#instance = this.#newCounters()
  }

  /** Counters of the instance; those that a file keeps. */
  get instance(): Counters {
    return this.#instance
  }

  /** Nothing is taken unless every limit passes. */
  admit(session: SessionKey, { isStream, isBypassed }: AdmissionOptions): Admission | Refusal {
    const counters = this.#use(session)
    if (!isBypassed) {
      const dimension =
        this.#quotaRefusal(counters, true) ?? this.#rateRefusal(counters) ?? this.#slotRefusal(counters, isStream)
      if (dimension !== null) return this.refuse(dimension)
      counters.bucket?.take()
    }
    counters.requests++
    const maxStreams = isBypassed ? Infinity : (this.limits.streams ?? Infinity)
    return { lease: new Lease(counters, maxStreams, isStream), remaining: this.#remaining(counters) }
  }

  /** A call beside HTTP: counted in requests and rate alone. Null: admitted; `giveBack` undoes that. */
  admitCall(session: SessionKey): Refusal | { giveBack(): void } {
    const counters = this.#use(session)
    const dimension = this.#quotaRefusal(counters, false) ?? this.#rateRefusal(counters)
    if (dimension !== null) return this.refuse(dimension)
    counters.bucket?.take()
    counters.requests++
    const { start } = counters.period
    return {
      giveBack() {
        if (counters.period.start === start) counters.requests--
        counters.bucket?.giveBack()
      },
    }
  }

  refuse(dimension: Dimension): Refusal {
    const isQuota = dimension === 'requests' || dimension === 'egress'
    return { dimension, retryAfterSecs: isQuota ? secondsLeft(this.#currentInstance().period, this.#clock.wall()) : 1 }
  }

  /** What a session has used; makes no set of counters for one that is not known. */
  read(session: SessionKey): Counters {
    if (this.limits.scope === 'instance') return this.#currentInstance()
    const counters = this.#sessions.peek(session.key) ?? this.#newCounters()
    counters.enter(this.#clock.wall())
    return counters
  }

  #use(session: SessionKey): Counters {
    if (this.limits.scope === 'instance') return this.#currentInstance()
    const counters = this.#sessions.use(session.key, this.#clock.monotonic(), () => this.#newCounters())
    counters.enter(this.#clock.wall())
    return counters
  }

  #currentInstance(): Counters {
    this.#instance.enter(this.#clock.wall())
    return this.#instance
  }

  #newCounters(): Counters {
    return new Counters(this.limits, { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() })
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

  #remaining({ requests }: Counters): number | null {
    return this.limits.requests === null ? null : Math.max(0, this.limits.requests - requests)
  }
}
