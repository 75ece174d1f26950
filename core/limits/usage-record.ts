/** The response of `GET /_svc/usage`. */
import { type LimitsView, limitsView } from '../config/effective.ts'
import type { Config } from '../config/variables.ts'
import type { SessionKey } from '../contract/plugin.ts'
import type { LimitClock } from './clock.ts'
import { Counters } from './counters.ts'
import { periodAt, periodView, type Period } from './period.ts'
import type { PlanLimiter } from './plan-limiter.ts'
import type { SharedQuota } from './shared-quota.ts'

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

export interface UsageSource {
  config: Config
  /** Null if no plan is active. */
  limiter: PlanLimiter | null
  /** Null without a state store. */
  quota: SharedQuota | null
  clock: LimitClock
}

interface Used {
  period: Period
  requests: number
  egressBytes: number
  /** Tokens of the rate limit; null without one. */
  available: number | null
  inFlight: number
  openStreams: number
}

/** The usage of the caller, of all replicas together; zeros if no plan is active. */
export async function usageRecord(source: UsageSource, session: SessionKey): Promise<UsageRecord> {
  const { config, quota, clock } = source
  const { name, active, limits } = config.plan
  const used = await usedOf(source, session)
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
      available: used.available,
    },
    in_flight: { current: used.inFlight, limit: limits.concurrency },
    open_streams: { current: used.openStreams, limit: limits.streams, lifetime_secs: limits.streamLifetimeSecs },
    persisted: active && limits.scope === 'instance' && config.usageFile !== null && quota === null,
  }
}

async function usedOf({ config, limiter, quota, clock }: UsageSource, session: SessionKey): Promise<Used> {
  const { limits } = config.plan
  const now = { wall: clock.wall(), monotonic: clock.monotonic() }
  const counters = limiter?.read(session) ?? new Counters(limits, now)
  const [shared] = (counters.account && (await quota?.read([counters.account.subject()]))) ?? []
  if (shared !== undefined)
    return {
      period: periodAt(limits.period, shared.start),
      requests: shared.requests,
      egressBytes: shared.egress + counters.openEgressBytes,
      available: limits.rps === null ? null : shared.tokens,
      inFlight: shared.flights,
      openStreams: shared.streams,
    }
  const { period, requests, egressBytes, inFlight, openStreams, bucket } = counters
  const available = bucket === null ? null : Math.floor(bucket.available(now.monotonic))
  return { period, requests, egressBytes, inFlight, openStreams, available }
}
