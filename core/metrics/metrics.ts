/**
 * Metrics by name, with one registry per server. A metric that already exists is reused, so counters continue across
 * generations.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
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
  samples(): Sample[]
}

export interface Metrics extends SvcMetrics {
  /** As for plugins; `collect` runs before each scrape. */
  counter(name: string, help: string, labels?: string[], collect?: () => void): ReturnType<SvcMetrics['counter']>
  /** Adds a metric that counts on its own, where the overhead of the library would be noticeable on every request. */
  add(series: OwnSeries): void
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>
  readonly contentType: string
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const counters = new Map<string, ReturnType<Metrics['counter']>>()
  function series<T>(name: string, make: () => T): T {
    return (registry.getSingleMetric(name) as T | undefined) ?? make()
  }
  return {
    contentType: registry.contentType,
    text: openWorkerMetrics(registry) ?? (() => registry.metrics()),
    add({ name, help, type, aggregator = 'sum', samples }) {
      const get = (): object => ({
        name,
        help,
        type,
        aggregator,
        values: samples().map(({ labels, value, suffix = '' }) => ({ labels, value, metricName: name + suffix })),
      })
      registry.registerMetric({ name, get } as never)
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
      const histogram = series(name, () => new Histogram({ name, help, buckets, labelNames, registers: [registry] }))
      return { observe: (labels, value) => histogram.observe(labels, value) }
    },
  }
}

type Labels = Record<string, string | number>
interface Count {
  readonly labels: Labels
  value: number
}
/** Maps the values of one label to those of the next; the last label maps to the counts. */
type Level = Map<string | number | undefined, Level | Count>

/**
 * Counts since the last scrape, by labels. The library hashes labels on every increment, and increments are frequent.
 */
class Counts {
  readonly #names: readonly string[]
  readonly #byLabels: Level = new Map()
  readonly #all: Count[] = []

  constructor(names: readonly string[]) {
    this.#names = names
  }

  add(counter: Counter, labels: Labels = {}, value: number): void {
    // Rejected by the library, with its own error.
    if (!(value >= 0)) return counter.inc(labels, value)
    let found: Level | Count | undefined = this.#byLabels
    for (const name of this.#names) {
      found = (found as Level).get(labels[name])
      if (found === undefined) return this.#begin(counter, labels, value)
    }
    if (found instanceof Map) return counter.inc(value)
    found.value += value
  }

  /** The first increment goes to the library, which rejects unknown labels with its own error. */
  #begin(counter: Counter, labels: Labels, value: number): void {
    counter.inc(labels, value)
    const count = { labels: { ...labels }, value: 0 }
    this.#all.push(count)
    let level = this.#byLabels
    for (const name of this.#names.slice(0, -1)) {
      const next = (level.get(labels[name]) as Level | undefined) ?? (new Map<never, never>() as Level)
      level.set(labels[name], next)
      level = next
    }
    level.set(labels[this.#names.at(-1)!], count)
  }

  flush(counter: Counter): void {
    for (const count of this.#all) {
      if (count.value > 0) counter.inc(count.labels, count.value)
      count.value = 0
    }
  }
}
