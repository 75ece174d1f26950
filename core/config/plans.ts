/** The plans of the limiter, and the limits of each preset. */

export type LimitScope = 'instance' | 'session'
export type LimitPeriod = 'day' | 'month'

/** Limits of a plan; null means off. 0 never occurs. */
export interface PlanLimits {
  /** One set of counters for the instance, or one per session key. */
  scope: LimitScope
  /** Calendar period of both quotas, in UTC. */
  period: LimitPeriod
  /** Requests per second: the refill rate of the token bucket. */
  rps: number | null
  /** Capacity of the token bucket. Null if and only if `rps` is null. */
  burst: number | null
  /** Requests in flight. */
  concurrency: number | null
  /** Open event streams and WebSockets. */
  streams: number | null
  /** Seconds; may be longer than a single timer can wait (2^31 - 1 ms). */
  streamLifetimeSecs: number | null
  /** Requests per period. */
  requests: number | null
  /** Bytes of response bodies per period. */
  egressBytes: number | null
}

/** Values of `SVC_PLAN`. */
export const planNames = ['none', 'free', 'pro', 'team', 'enterprise'] as const
export type PresetName = (typeof planNames)[number]
/** `custom` means single limits without a plan. */
export type PlanName = PresetName | 'custom'

const off: PlanLimits = {
  scope: 'instance',
  period: 'month',
  rps: null,
  burst: null,
  concurrency: null,
  streams: null,
  streamLifetimeSecs: null,
  requests: null,
  egressBytes: null,
}

/** The limits of each preset, before single limits override them. */
export const planPresets: Readonly<Record<PlanName, Readonly<PlanLimits>>> = {
  none: off,
  custom: off,
  free: {
    scope: 'session',
    period: 'day',
    rps: 5,
    burst: 20,
    concurrency: 10,
    streams: 3,
    streamLifetimeSecs: 300,
    requests: 10_000,
    egressBytes: 1_000_000_000,
  },
  pro: {
    scope: 'instance',
    period: 'month',
    rps: 50,
    burst: 200,
    concurrency: 100,
    streams: 25,
    streamLifetimeSecs: 3_600,
    requests: 1_000_000,
    egressBytes: 10_000_000_000,
  },
  team: {
    scope: 'instance',
    period: 'month',
    rps: 250,
    burst: 1_000,
    concurrency: 500,
    streams: 200,
    streamLifetimeSecs: 14_400,
    requests: 10_000_000,
    egressBytes: 100_000_000_000,
  },
  enterprise: off,
}
