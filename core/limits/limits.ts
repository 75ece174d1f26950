/**
 * The limits of the instance, as used by the rest of the core. Without a plan nothing is limited, counted or added to
 * responses.
 */
import type { Config } from '../config/variables.ts'
import type { SessionKey } from '../contract/plugin.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { systemLimitClock, type LimitClock } from './clock.ts'
import { DIMENSIONS, PlanLimiter, type Refusal } from './plan-limiter.ts'
import { planRejection, type Rejection } from './plan-rejection.ts'
import type { SharedQuota } from './shared-quota.ts'
import { UsageFile } from './usage-file.ts'
import { usageRecord, type UsageRecord } from './usage-record.ts'

export interface Limits {
  /** Null if no plan is active. */
  readonly limiter: PlanLimiter | null
  readonly plan: string
  /** Maximum lifetime of a stream in milliseconds; null means unlimited. */
  readonly streamLifetimeMs: number | null
  /** Headers that browsers may read while a plan is active. */
  readonly exposedHeaders: string[]
  /** The response to a rejected request. Counts the rejection. */
  reject(refusal: Refusal): Rejection
  /** Of all replicas together. */
  usage(session: SessionKey): Promise<UsageRecord>
  /** Loads the usage file. */
  open(): Promise<void>
  /** Saves the usage file for the last time. */
  close(): Promise<void>
}

export interface LimitsOptions {
  config: Config
  metrics: Metrics
  /** Absolute path of the usage file, or null. */
  usageFile: string | null
  /** Null if each process counts on its own. */
  quota: SharedQuota | null
  warn(message: string): void
  clock?: LimitClock
}

const EXPOSED = ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Svc-Limit', 'X-Svc-Plan', 'X-Svc-Quota-Remaining']

export function createLimits({
  config,
  metrics,
  usageFile,
  quota,
  warn,
  clock = systemLimitClock,
}: LimitsOptions): Limits {
  const { name, active, limits } = config.plan
  const limiter = active ? new PlanLimiter(limits, clock, quota) : null
  if (quota !== null && usageFile !== null)
    warn('SVC_USAGE_FILE is ignored, because usage is counted in the state store')
  const file =
    limiter === null || usageFile === null || quota !== null || limits.scope !== 'instance'
      ? null
      : new UsageFile({ path: usageFile, plan: name, counters: limiter.instance, clock, warn })
  const rejections = metrics.counter('svc_limit_rejections_total', 'Requests and calls rejected by the plan limits', [
    'dimension',
  ])
  for (const dimension of DIMENSIONS) rejections.inc({ dimension }, 0)

  return {
    limiter,
    plan: name,
    streamLifetimeMs: active && limits.streamLifetimeSecs !== null ? limits.streamLifetimeSecs * 1000 : null,
    exposedHeaders: active ? EXPOSED : [],
    reject(refusal) {
      rejections.inc({ dimension: refusal.dimension })
      return planRejection(refusal, name, limits, clock.wall())
    },
    usage: session => usageRecord({ config, limiter, quota, clock }, session),
    open: async () => file?.open(),
    close: async () => file?.close(),
  }
}
