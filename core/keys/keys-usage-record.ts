/** The response of `GET /_svc/keys/usage`. */
import { periodView } from '../limits/period.ts'
import type { KeyRecord } from './api-key.ts'
import { KEY_GROUP, keyOfAccount, type KeyLimits } from './key-limits.ts'
import type { SharedQuota } from '../limits/shared-quota.ts'
import type { KeyRegistry } from './key-registry.ts'
import type { DailyCounts } from '../state/shared-backend.ts'
import type { QuotaReading } from '../limits/quota-claims.ts'

export interface KeyUsageView {
  id: string
  name: string | null
  enabled: boolean
  requests: { used: number; limit: number | null; remaining: number | null; instance_used: number }
  rejected: { rate: number; quota: number }
  last_seen: string | null
}

export interface KeysUsageRecord {
  shared_mode: boolean
  require_key: boolean
  registry: { kind: string; keys: number; loaded_at: string | null; error: string | null } | null
  quota_store: { configured: boolean; up: boolean }
  period: ReturnType<typeof periodView>
  count: number
  keys: KeyUsageView[]
}

export interface KeysUsageSource {
  requireKey: boolean
  registry: KeyRegistry
  limits: KeyLimits
  /** Null if there is no store, or its client is not installed. */
  store: DailyCounts | null
  /** Null without a state store. */
  quota: SharedQuota | null
  isStoreConfigured: boolean
  defaultDaily: number | null
  /** Milliseconds since 1970. */
  now: number
  /** Null means all keys. */
  id: string | null
}

/** The usage of each key today: all registered keys, or with the open registry those that were seen. */
export async function keysUsageRecord(source: KeysUsageSource): Promise<KeysUsageRecord> {
  const { registry, limits, store, quota, now } = source
  const day = limits.usage.day(now)
  const records = (await recordsOf(source))
    .filter(({ id }) => source.id === null || id === source.id)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const totals =
    (await store?.read(
      records.map(({ id }) => id),
      day,
    )) ?? null
  const readings = (await quota?.read(records.map(record => limits.subject(record)))) ?? null
  const keys = records.map((record, index) => {
    const reading = readings?.[index]
    return view(record, limits, { total: totals?.[index] ?? (store === null ? reading?.requests : undefined), reading })
  })
  return {
    shared_mode: true,
    require_key: source.requireKey,
    registry: {
      kind: registry.kind,
      keys: registry.records.length,
      loaded_at: registry.loadedAt?.toISOString() ?? null,
      error: registry.error,
    },
    quota_store: { configured: source.isStoreConfigured, up: store?.isUp ?? false },
    period: periodView(day, now),
    count: keys.length,
    keys,
  }
}

async function recordsOf({ registry, limits, quota, defaultDaily }: KeysUsageSource): Promise<KeyRecord[]> {
  if (registry.kind !== 'open') return registry.records
  const seen = new Set(limits.usage.list().map(({ id }) => id))
  for (const id of (await quota?.ids(KEY_GROUP)) ?? []) seen.add(keyOfAccount(id))
  return [...seen].map(id => ({
    id,
    name: null,
    dailyRequests: defaultDaily,
    rps: null,
    burst: null,
    enabled: true,
    expiresAt: null,
  }))
}

function view(
  { id, name, enabled, dailyRequests: limit }: KeyRecord,
  limits: KeyLimits,
  { total, reading }: { total: number | undefined; reading: QuotaReading | undefined },
): KeyUsageView {
  const counts = limits.usage.get(id)
  const used = total ?? counts?.total ?? 0
  const lastSeen = reading?.lastSeen ?? counts?.lastSeen ?? null
  return {
    id,
    name,
    enabled,
    requests: {
      used,
      limit,
      remaining: limit === null ? null : Math.max(0, limit - used),
      instance_used: counts?.instanceUsed ?? 0,
    },
    rejected: {
      rate: reading?.rejectedByRate ?? counts?.rejectedByRate ?? 0,
      quota: reading?.rejectedByQuota ?? counts?.rejectedByQuota ?? 0,
    },
    last_seen: lastSeen === null ? null : new Date(lastSeen).toISOString(),
  }
}
