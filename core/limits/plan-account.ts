/** The counters of a plan in the state store, which all replicas share: of the instance, or of one session. */
import { createHash } from 'node:crypto'
import type { PlanLimits } from '../config/plans.ts'
import type { LimitClock } from './clock.ts'
import type { Counters } from './counters.ts'
import { periodAt } from './period.ts'
import type { QuotaAccount, QuotaDelta, SharedQuota } from './shared-quota.ts'
import type { QuotaClaim, QuotaState, QuotaSubject } from './quota-claims.ts'

/** Counters are kept for this time after their period. */
const GRACE_MS = 86_400_000

export interface PlanAccountOptions {
  quota: SharedQuota
  /** Null for the instance. */
  session: string | null
  limits: PlanLimits
  clock: LimitClock
  /** Those of this replica. */
  counters: Counters
}

export class PlanAccount implements QuotaAccount {
  readonly #options: PlanAccountOptions
  readonly #id: string

  constructor(options: PlanAccountOptions) {
    this.#options = options
    this.#id = options.session === null ? options.quota.instanceId : `s:${digest(options.session)}`
  }

  subject(): QuotaSubject {
    const { quota, session, limits, clock, counters } = this.#options
    const wall = clock.wall()
    counters.enter(wall)
    const { start, end } = counters.period
    const unreported = quota.unreported(this.#id)
    const { requests, egressBytes, concurrency, streams, rps, burst } = limits
    return {
      id: this.#id,
      ...(session !== null && { group: 's' }),
      wall,
      start,
      finish: end,
      life: end - start + GRACE_MS,
      known: {
        requests: Math.max(0, counters.requests - unreported.requests),
        egress: Math.max(0, counters.egressBytes - counters.openEgressBytes - unreported.egress),
      },
      ...(rps !== null && { rate: { rps, burst: burst ?? rps } }),
      limits: {
        ...(requests !== null && { requests }),
        ...(egressBytes !== null && { egress: egressBytes }),
        ...(concurrency !== null && { concurrency }),
        ...(streams !== null && { streams }),
      },
    }
  }

  slots(): { flights: number; streams: number } {
    const { inFlight, openStreams } = this.#options.counters
    return { flights: inFlight, streams: openStreams }
  }

  /** What a request asks of the plan. */
  claim({ isStream, isBypassed }: { isStream: boolean; isBypassed: boolean }): QuotaClaim {
    return {
      ...this.subject(),
      checks: isBypassed
        ? []
        : this.#configured(['requests', 'egress', 'rps', 'concurrency', ...(isStream ? ['streams' as const] : [])]),
      isCounted: true,
      takesToken: !isBypassed,
      slots: isStream ? 'stream' : 'flight',
    }
  }

  /** What a call outside of HTTP asks of the plan. */
  callClaim(): QuotaClaim {
    return { ...this.subject(), checks: this.#configured(['requests', 'rps']), isCounted: true, takesToken: true }
  }

  /** The counters of this replica become those of all. */
  adopt({ start, requests, egress, streams }: QuotaState): void {
    const { quota, counters, limits } = this.#options
    const unreported = quota.unreported(this.#id)
    if (start !== counters.period.start) counters.period = periodAt(limits.period, start)
    counters.requests = requests + unreported.requests
    counters.egressBytes = egress + unreported.egress + counters.openEgressBytes
    counters.otherStreams = streams
    quota.holds(this.#id, this)
  }

  report(delta: QuotaDelta): void {
    this.#options.quota.report(this.#id, this, delta)
  }

  #configured(checks: QuotaClaim['checks']): QuotaClaim['checks'] {
    const { limits } = this.#options
    const values = {
      requests: limits.requests,
      egress: limits.egressBytes,
      rps: limits.rps,
      concurrency: limits.concurrency,
      streams: limits.streams,
    }
    return checks.filter(check => values[check] !== null)
  }
}

/** Of fixed length, and without characters that matter in keys. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
