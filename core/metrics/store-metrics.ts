/** What stores hold: `svc_state_entries` and `svc_state_bytes`. They are read when metrics are scraped. */
import type { NamedUse } from '../state/state-registry.ts'
import type { Metrics, Sample } from './metrics.ts'

/** Maximum number of values of the label `store`: plugins can be added forever, metrics cannot. */
const MAX_STORES = 256

/**
 * `store` is `plugin/name` as in the metrics of the state store. Each replica reports the stores of the whole deployment if
 * they are `shared`: the values of several workers are then the same.
 */
export function addStoreMetrics(
  metrics: Metrics,
  read: () => Promise<NamedUse[]>,
  { isShared }: { isShared: boolean },
): void {
  const names = new Set<string>()
  const named = ({ plugin, name }: NamedUse): string => {
    const store = `${plugin}/${name}`
    if (names.size < MAX_STORES) names.add(store)
    return names.has(store) ? store : 'other'
  }
  const sums = (used: NamedUse[], unit: 'entries' | 'bytes'): Sample[] => {
    const byStore = new Map<string, number>()
    for (const use of used) {
      const store = named(use)
      byStore.set(store, (byStore.get(store) ?? 0) + use[unit])
    }
    return [...byStore].map(([store, value]) => ({ labels: { store }, value }))
  }
  // Both metrics of a scrape are collected in the same turn.
  let reading: Promise<NamedUse[]> | null = null
  const readOnce = (): Promise<NamedUse[]> =>
    (reading ??= read().finally(() => {
      reading = null
    }))
  const aggregator = isShared ? 'max' : 'sum'
  const add = (name: string, help: string, unit: 'entries' | 'bytes'): void =>
    metrics.add({ name, help, type: 'gauge', aggregator, samples: async () => sums(await readOnce(), unit) })
  add('svc_state_entries', 'Entries in stores', 'entries')
  add('svc_state_bytes', 'Memory of the entries in stores', 'bytes')
}
