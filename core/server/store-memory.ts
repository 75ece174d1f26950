/** Shows in `/_svc/metrics` what all stores hold, those of the core included. */
import type { MeasuresMemory } from '../collections/memory-use.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { addStoreMetrics } from '../metrics/store-metrics.ts'
import type { StateHolder, StateRegistry } from '../state/state-registry.ts'

/** `own`: what the core keeps outside of `state`, by name. Null: it keeps nothing. */
export function measureStores(
  states: StateRegistry,
  holder: StateHolder,
  metrics: Metrics,
  own: Record<string, MeasuresMemory | null>,
): void {
  for (const [name, measured] of Object.entries(own))
    if (measured !== null) holder.shared(name, () => ({ memoryUse: () => measured.memoryUse() }))
  addStoreMetrics(metrics, () => states.memoryUse(), states)
}
