/** Shared mode: one instance that serves many holders of API keys. */
import { atMost } from '../toolkit/sleep.ts'
import type { Config } from '../config/variables.ts'
import { REDIS_PACKAGES, loadFailure } from '../config/optional-packages.ts'
import type { MemoryUse } from '../collections/memory-use.ts'
import { systemLimitClock, type LimitClock } from '../limits/clock.ts'
import type { Rejection } from '../limits/plan-rejection.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { KeyRecord } from './api-key.ts'
import { KeyLimits, type KeyAdmission, type KeyRefusal } from './key-limits.ts'
import { KeyRegistry } from './key-registry.ts'
import { keyInvalid, keyLimited, keyRequired, registryUnavailable } from './key-rejection.ts'
import { keysUsageRecord, type KeysUsageRecord } from './keys-usage-record.ts'
import { loadBackend, type DailyCounts } from '../state/shared-backend.ts'
import type { SharedQuota } from '../limits/shared-quota.ts'
import type { Dimension } from '../limits/plan-limiter.ts'
import type { QuotaClaim, QuotaState } from '../limits/quota-claims.ts'

export interface Keys {
  /** Headers that browsers may read in shared mode. */
  readonly exposedHeaders: string[]
  /** Identifies the holder of the key; null if there is no key and none is required. Counts rejections. */
  identify(key: string | null): { record: KeyRecord } | { rejection: Rejection } | null
  /** The holder of a valid key; null otherwise. */
  holderOf(key: string | null): KeyRecord | null
  /** What a request asks of the counters that all replicas share; null if they count nothing of this key. */
  claim(record: KeyRecord): QuotaClaim | null
  /** The state store has admitted the request. */
  adopt(record: KeyRecord, state: QuotaState): KeyAdmission | Rejection | Promise<KeyAdmission | Rejection>
  /** The state store has rejected the request. */
  reject(record: KeyRecord, dimension: Dimension, state: QuotaState): Rejection
  /** Applies the limits of the key; returns a promise only while a quota store is in use. */
  admit(record: KeyRecord): KeyAdmission | Rejection | Promise<KeyAdmission | Rejection>
  /** Of the counts of keys. */
  memoryUse(): MemoryUse
  /** The response of `GET /_svc/keys/usage`, for one id or all. */
  usage(id: string | null): Promise<KeysUsageRecord>
  /** Reloads the registry. */
  reload(): Promise<void>
  /** Loads the registry and connects to the quota store; waits a limited time for both. */
  open(): Promise<void>
  close(): void
}

export interface KeysOptions {
  config: Config
  metrics: Metrics
  /** Absolute path or URL of the registry; null for the open registry. */
  registry: string | null
  /** Null if each process counts on its own, or in the quota store. */
  quota: SharedQuota | null
  warn(message: string): void
  clock?: LimitClock
}

const EXPOSED = [
  'X-Svc-Key-Id',
  'X-Svc-Key-Quota-Remaining',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Svc-Limit',
]
/** How long the startup waits for registry and store, in milliseconds; both continue in the background. */
const START_MS = 2_000

/** Returns null if shared mode is off. */
export async function createKeys({
  config,
  metrics,
  registry: place,
  quota,
  warn,
  clock = systemLimitClock,
}: KeysOptions): Promise<Keys | null> {
  const { enabled, requireKey, registryToken, registrySecs, dailyRequests, quotaStore } = config.shared
  if (!enabled) return null
  const registry = new KeyRegistry({
    place,
    token: registryToken,
    reloadSecs: registrySecs,
    defaultDaily: dailyRequests,
    warn,
  })
  const store: DailyCounts | null = quotaStore === null ? null : await createStore(quotaStore)
  const limits = new KeyLimits({ store, quota, clock })
  const rejections = metrics.counter('svc_key_rejections_total', 'Requests and calls refused for their API key', [
    'reason',
  ])
  for (const reason of ['missing', 'invalid', 'rate', 'quota']) rejections.inc({ reason }, 0)

  /** Null if the client cannot be loaded, so that this instance counts on its own. */
  async function createStore(url: string): Promise<DailyCounts | null> {
    const { host } = new URL(url)
    const up = metrics.gauge('svc_quota_store_up', 'Whether the quota store counts (1) or this instance alone (0)')
    up.set({}, 0)
    try {
      return (await loadBackend()).createDailyCounts({
        url,
        counts: () => ({ day: limits.usage.day(clock.wall()), list: limits.usage.list() }),
        onChange(isUp) {
          up.set({}, isUp ? 1 : 0)
          if (!isUp) warn(`quota store ${host} is unreachable; this instance counts on its own until it reconnects`)
        },
      })
    } catch (error) {
      warn(`quota store ${host} is not used; this instance counts on its own: ${loadFailure(error, REDIS_PACKAGES)}`)
      return null
    }
  }

  function refuse(reason: 'missing' | 'invalid' | 'rate' | 'quota', rejection: Rejection): Rejection {
    rejections.inc({ reason })
    return rejection
  }

  function toAdmission(record: KeyRecord, outcome: KeyAdmission | KeyRefusal): KeyAdmission | Rejection {
    return 'limit' in outcome ? toRejection(record, outcome) : outcome
  }

  function toRejection(record: KeyRecord, refusal: KeyRefusal): Rejection {
    return refuse(refusal.limit === 'key-rps' ? 'rate' : 'quota', keyLimited(record, refusal, clock.wall()))
  }

  function later(
    record: KeyRecord,
    outcome: KeyAdmission | KeyRefusal | Promise<KeyAdmission | KeyRefusal>,
  ): KeyAdmission | Rejection | Promise<KeyAdmission | Rejection> {
    return outcome instanceof Promise ? outcome.then(found => toAdmission(record, found)) : toAdmission(record, outcome)
  }

  return {
    exposedHeaders: EXPOSED,
    identify(key) {
      if (key === null) return requireKey ? { rejection: refuse('missing', keyRequired()) } : null
      const identity = registry.identify(key, clock.wall())
      if (identity === 'unavailable') return { rejection: registryUnavailable() }
      return 'record' in identity ? identity : { rejection: refuse('invalid', keyInvalid(identity.problem)) }
    },
    holderOf(key) {
      const identity = key === null ? null : registry.identify(key, clock.wall())
      return identity !== null && identity !== 'unavailable' && 'record' in identity ? identity.record : null
    },
    claim: record => limits.claim(record),
    adopt: (record, state) => later(record, limits.adopt(record, state)),
    reject(record, dimension, state) {
      const limit = dimension === 'rps' ? 'key-rps' : 'key-requests'
      return toRejection(record, limits.refusal(record, limit, state))
    },
    admit: record => later(record, limits.admit(record)),
    memoryUse: () => limits.usage.memoryUse(),
    usage: id =>
      keysUsageRecord({
        requireKey,
        registry,
        limits,
        store,
        quota,
        isStoreConfigured: quotaStore !== null,
        defaultDaily: dailyRequests,
        now: clock.wall(),
        id,
      }),
    reload: () => registry.reload(),
    async open() {
      await atMost(Promise.all([registry.open(), store?.open()]), START_MS)
    },
    close() {
      registry.close()
      store?.close()
    },
  }
}
