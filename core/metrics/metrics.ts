/**
 * Metrics by name, with one registry per server. A metric that already exists is reused, so counters continue across
 * generations.
 */
import { Counter, Gauge, Registry } from 'prom-client'
import type { MemoryUse } from '../collections/memory-use.ts'
import { ByLabels, type Labels } from './by-labels.ts'
import { Histogram } from './histogram.ts'
import { openWorkerMetrics } from './worker-metrics.ts'
import type { SvcMetrics } from '../contract/plugin.ts'

/** One sample of a metric: labels, value, and the suffix of the metric name (`_bucket`, `_sum`, `_count`). */
export interface Sample {
  labels: Record<string, string>
  value: number
  suffix?: string
}

/** A metric with values that are kept elsewhere and read at scrape time. */
export interface OwnSeries {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How the values of several workers become one. Default: `sum`. */
  aggregator?: 'sum' | 'min' | 'max'
  samples(): Sample[] | Promise<Sample[]>
}

export interface Metrics extends SvcMetrics {
  /** As for plugins; `collect` runs before each scrape. */
  counter(name: string, help: string, labels?: string[], collect?: () => void): ReturnType<SvcMetrics['counter']>
  /** Adds a metric that counts on its own, where the overhead of the library would be noticeable on every request. */
  add(series: OwnSeries): void
  /** An estimate, of counters and histograms by combinations of labels. */
  memoryUse(): MemoryUse
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>
  readonly contentType: string
}

/** Memory of the values of one combination of labels, here and in the library. */
const SERIES_BYTES = 1024

export function createMetrics(): Metrics {
  const registry = new Registry()
  const counters = new Map<string, ReturnType<Metrics['counter']> & { counts: Counts }>()
  const histograms = new Map<string, Histogram>()
  function series<T>(name: string, make: () => T): T {
    return (registry.getSingleMetric(name) as T | undefined) ?? make()
  }
  const add = ({ name, help, type, aggregator = 'sum', samples }: OwnSeries): void => {
    const get = async (): Promise<object> => ({
      name,
      help,
      type,
      aggregator,
      values: (await samples()).map(({ labels, value, suffix = '' }) => ({ labels, value, metricName: name + suffix })),
    })
    registry.registerMetric({ name, get } as never)
  }
  return {
    contentType: registry.contentType,
    text: openWorkerMetrics(registry) ?? (() => registry.metrics()),
    add,
    memoryUse() {
      const sizes = [...counters.values()].map(({ counts }) => counts.size)
      const entries = [...sizes, ...[...histograms.values()].map(({ size }) => size)].reduce(
        (sum, size) => sum + size,
        0,
      )
      return { entries, bytes: entries * SERIES_BYTES }
    },
    counter(name, help, labelNames = [], collect?: () => void) {
      const known = counters.get(name)
      if (known !== undefined) return known
      const counts = new Counts(labelNames)
      const counter = new Counter({
        name,
        help,
        labelNames,
        registers: [registry],
        collect: () => {
          collect?.()
          counts.flush(counter)
        },
      })
      const handle = {
        counts,
        inc: (labels?: Record<string, string | number>, value = 1) => counts.add(counter, labels, value),
      }
      counters.set(name, handle)
      return handle
    },
    gauge(name, help, labelNames = []) {
      const gauge = series(name, () => new Gauge({ name, help, labelNames, registers: [registry] }))
      return {
        set: (labels, value) => gauge.set(labels, value),
        inc: (labels = {}, value = 1) => gauge.inc(labels, value),
        dec: (labels = {}, value = 1) => gauge.dec(labels, value),
      }
    },
    histogram(name, help, buckets, labelNames = []) {
      const known = histograms.get(name)
      if (known !== undefined) return known
      const histogram = new Histogram(name, buckets, labelNames)
      add({ name, help, type: 'histogram', samples: () => histogram.samples() })
      histograms.set(name, histogram)
      return histogram
    },
  }
}

interface Count {
  value: number
}

/**
 * Counts since the last scrape, by labels. The library hashes labels on every increment, and increments are frequent.
 */
class Counts {
  readonly #counts: ByLabels<Count>
  readonly #hasLabels: boolean

  constructor(names: readonly string[]) {
    this.#hasLabels = names.length > 0
    this.#counts = new ByLabels(names)
  }

  get size(): number {
    return this.#counts.size
  }

  add(counter: Counter, labels: Labels = {}, value: number): void {
    // Rejected by the library, with its own error.
    if (!(value >= 0)) return counter.inc(labels, value)
    if (!this.#hasLabels) return counter.inc(labels, value)
    const found = this.#counts.find(labels)
    if (found !== undefined) {
      found.value += value
      return
    }
    // The first increment goes to the library, which rejects unknown labels with its own error.
    counter.inc(labels, value)
    this.#counts.add(labels, { value: 0 })
  }

  flush(counter: Counter): void {
    for (const { labels, counted } of this.#counts.all()) {
      if (counted.value > 0) counter.inc(labels, counted.value)
      counted.value = 0
    }
  }
}
