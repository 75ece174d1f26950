/** One set of counters: of the instance, or of one session. */
import type { PlanLimits } from '../config/plans.ts'
import { periodAt } from './period.ts'
import type { Period } from './period.ts'
import { TokenBucket } from './token-bucket.ts'

export class Counters {
  /** Admitted requests of the period. */
  requests = 0
  /** Bytes of response bodies in the period. */
  egressBytes = 0
  inFlight = 0
  openStreams = 0
  period: Period
  /** Null: no rate limit. */
  readonly bucket: TokenBucket | null
  /** On the clock that only grows. */
  lastUsedAt: number

  constructor(limits: PlanLimits, now: { wall: number; monotonic: number }) {
    this.period = periodAt(limits.period, now.wall)
    this.bucket = limits.rps === null ? null : new TokenBucket(limits.rps, limits.burst ?? limits.rps, now.monotonic)
    this.lastUsedAt = now.monotonic
  }

  /**
   * Starts both quotas anew when the wall clock has entered another period. One that was put back stays in the period it
   * had reached, or every step back over midnight would open the quota; by more than a period it had been wrong before.
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
