/** Metrics of the state store; absent without one. */
import type { BackendObservers, SharedBackend } from '../state/shared-backend.ts'
import type { Metrics } from './metrics.ts'

/** Maximum number of values of the label `store`. */
const MAX_STORES = 64
/** Seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createStateStoreObservers(metrics: Metrics): BackendObservers {
  const operations = metrics.counter('svc_state_store_operations_total', 'Operations of the state store', [
    'store',
    'operation',
  ])
  const errors = metrics.counter('svc_state_store_errors_total', 'Operations of the state store that failed', [
    'store',
    'operation',
    'reason',
  ])
  const seconds = metrics.histogram(
    'svc_state_store_operation_duration_seconds',
    'Time that operations of the state store took',
    BUCKETS,
    ['operation'],
  )
  const retries = metrics.counter('svc_state_store_retries_total', 'Updates that another replica had overtaken')
  const waiting = metrics.gauge('svc_state_store_batched_waiting', 'Entries of batched logs that were not sent yet', [
    'log',
  ])
  const dropped = metrics.counter(
    'svc_state_store_batched_dropped_total',
    'Entries of batched logs that the store did not get',
    ['log'],
  )
  const messages = metrics.counter('svc_state_store_messages_total', 'Messages between replicas', [
    'plugin',
    'direction',
  ])
  const names = new Set<string>()
  const named = (name: string): string => {
    if (names.has(name)) return name
    if (names.size >= MAX_STORES) return 'other'
    names.add(name)
    return name
  }
  retries.inc({}, 0)
  return {
    store: {
      operation(name, operation, took) {
        operations.inc({ store: named(name), operation })
        seconds.observe({ operation }, took)
      },
      error: (name, operation, reason) => errors.inc({ store: named(name), operation, reason }),
      retry: () => retries.inc(),
    },
    messages: {
      sent: plugin => messages.inc({ plugin: named(plugin), direction: 'out' }),
      received: plugin => messages.inc({ plugin: named(plugin), direction: 'in' }),
    },
    batch(label) {
      const log = named(label)
      dropped.inc({ log }, 0)
      return {
        waiting: count => waiting.set({ log }, count),
        dropped: count => dropped.inc({ log }, count),
      }
    },
  }
}

/** Adds the metrics of the connection and of the replicas. */
export function addStateStoreGauges(metrics: Metrics, state: SharedBackend): void {
  const gauge = (name: string, aggregator: 'sum' | 'min' | 'max', help: string, value: () => number): void =>
    metrics.add({ name, help, type: 'gauge', aggregator, samples: () => [{ labels: {}, value: value() }] })
  const { connection, replicas } = state
  gauge('svc_state_store_up', 'min', 'Whether the state store can be used', () => (connection.isUp ? 1 : 0))
  gauge('svc_state_store_pending', 'sum', 'Commands that the state store has not answered', () => connection.pending)
  gauge(
    'svc_state_store_clock_offset_seconds',
    'max',
    'Difference between the clock of this replica and that of the state store',
    () => replicas.clockOffsetMs / 1000,
  )
  gauge('svc_replicas', 'max', 'Living replicas, as this replica sees them', () => replicas.records().length)
}
