/** The response of `GET /_svc/usage`. */
import type { LimitsView } from '../config/effective.ts'
import { limitsView } from '../config/effective.ts'
import type { Config } from '../config/variables.ts'
import type { SessionKey } from '../contract/plugin.ts'
import type { LimitClock } from './clock.ts'
import { Counters } from './counters.ts'
import { periodView } from './period.ts'
import type { PlanLimiter } from './plan-limiter.ts'

export interface UsageRecord {
  plan: string
  active: boolean
  scope: 'instance' | 'session'
  /** Only in session scope: the session of the caller. */
  session?: string
  limits: LimitsView
  period: ReturnType<typeof periodView>
  requests: { used: number; limit: number | null; remaining: number | null }
  egress: { used_bytes: number; limit_bytes: number | null; remaining_bytes: number | null }
  rate: { rps: number | null; burst: number | null; available: number | null }
  in_flight: { current: number; limit: number | null }
  open_streams: { current: number; limit: number | null; lifetime_secs: number | null }
  persisted: boolean
}

/** The usage of the caller; zeros if no plan is active (`limiter` is null). */
export function usageRecord(
  config: Config,
  limiter: PlanLimiter | null,
  session: SessionKey,
  clock: LimitClock,
): UsageRecord {
  const { name, active, limits } = config.plan
  const used = limiter?.read(session) ?? new Counters(limits, { wall: clock.wall(), monotonic: clock.monotonic() })
  const left = (limit: number | null, taken: number): number | null =>
    limit === null ? null : Math.max(0, limit - taken)
  return {
    plan: name,
    active,
    scope: limits.scope,
    ...(limits.scope === 'session' ? { session: session.label } : {}),
    limits: limitsView(config),
    period: periodView(used.period, clock.wall()),
    requests: { used: used.requests, limit: limits.requests, remaining: left(limits.requests, used.requests) },
    egress: {
      used_bytes: used.egressBytes,
      limit_bytes: limits.egressBytes,
      remaining_bytes: left(limits.egressBytes, used.egressBytes),
    },
    rate: {
      rps: limits.rps,
      burst: limits.burst,
      available: used.bucket === null ? null : Math.floor(used.bucket.available(clock.monotonic())),
    },
    in_flight: { current: used.inFlight, limit: limits.concurrency },
    open_streams: { current: used.openStreams, limit: limits.streams, lifetime_secs: limits.streamLifetimeSecs },
    persisted: active && limits.scope === 'instance' && config.usageFile !== null,
  }
}
