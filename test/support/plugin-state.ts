/** The state that a plugin gets, without the plugin host. */
import type { Config, EventLog, EventLogBounds, Store, StoreBounds, Svc } from '../../core/contract/plugin.ts'
import { createBudgets } from '../../core/host/svc/budgets.ts'
import { StateRegistry } from '../../core/state/state-registry.ts'

const MIB = 1024 * 1024

export interface PluginState {
  svc: Svc
  /** Stores and logs by name, once the plugin has made them. */
  stores: Map<string, Store<unknown>>
  logs: Map<string, EventLog<unknown>>
  /** Removes expired entries, as a timer does. */
  sweep(): void
}

/** `now` is the clock, in milliseconds; `isStrict` enforces the rules of shared stores. */
export function pluginState(
  config: Partial<Config>,
  { now = Date.now, isStrict = false }: { now?: () => number; isStrict?: boolean } = {},
): PluginState {
  const registry = new StateRegistry({ now, isStrict })
  const held = registry.hold(1, 'plugin', '1')
  const stores = new Map<string, Store<unknown>>()
  const logs = new Map<string, EventLog<unknown>>()
  const svc = {
    ...held,
    config,
    budgets: createBudgets({
      outputBytes: (config.publicMode === true ? 1 : 16) * MIB,
      steps: 5_000_000,
      unsentStreamBytes: 256 * 1024,
      unsentClientBytes: 4 * MIB,
      unsentTotalBytes: (config.publicMode === true ? 32 : 64) * MIB,
      http2Streams: 256,
      workMs: 20,
    }),
    whenRegistered() {},
    whenClosed() {},
    state<T>(name: string, bounds: StoreBounds<T>): Store<T> {
      const store = held.state<T>(name, bounds)
      stores.set(name, store as Store<unknown>)
      return store
    },
    eventLog<T>(name: string, bounds: EventLogBounds<T>): EventLog<T> {
      const log = held.eventLog<T>(name, bounds)
      logs.set(name, log as EventLog<unknown>)
      return log
    },
  }
  return { svc: svc as unknown as Svc, stores, logs, sweep: () => registry.sweep() }
}
