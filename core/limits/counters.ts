/** One set of counters, for the instance or for one session. */
import type { PlanLimits } from '../config/plans.ts'
import { periodAt, type Period } from './period.ts'
import type { PlanAccount } from './plan-account.ts'
import { TokenBucket } from './token-bucket.ts'

export class Counters {
  /** Requests admitted in the period. */
  requests = 0
  /** Bytes of response bodies in the period. */
  egressBytes = 0
  inFlight = 0
  openStreams = 0
  /** Open streams of other replicas, as far as known. */
  otherStreams = 0
  /** Bytes of responses that have not ended; the state store does not know them yet. */
  openEgressBytes = 0
  /** The same counters in the state store; null without one. */
  account: PlanAccount | null = null
  period: Period
  /** Null means no rate limit. */
  readonly bucket: TokenBucket | null
  /** On the monotonic clock. */
  lastUsedAt: number

  constructor(limits: PlanLimits, now: { wall: number; monotonic: number }) {
    this.period = periodAt(limits.period, now.wall)
    this.bucket = limits.rps === null ? null : new TokenBucket(limits.rps, limits.burst ?? limits.rps, now.monotonic)
    this.lastUsedAt = now.monotonic
  }

  /**
   * Resets both quotas when the wall clock enters another period. If the clock is set back, the current period
   * continues; otherwise every step back over midnight would grant a new quota. A step back by more than one period
   * means that the clock was wrong before.
   */
  enter(wall: number): void {
    const { start, end } = this.period
    if (wall < end && wall >= start - (end - start)) return
    this.period = periodAt(this.period.kind, wall)
    this.requests = 0
    this.egressBytes = 0
  }

  get isBusy(): boolean {
    return this.inFlight > 0 || this.openStreams > 0
  }
}
