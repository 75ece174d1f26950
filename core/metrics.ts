/** Metric series by name, one registry a server: a series that exists is shared, so counters go on across generations. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { SvcMetrics } from './host/plugin.ts'

/** One line of a series: labels, value, and what stands after the series' name (`_bucket`, `_sum`, `_count`). */
export interface Sample {
  labels: Record<string, string>
  value: number
  suffix?: string
}

/** A series whose numbers are kept elsewhere and read when somebody scrapes. */
export interface OwnSeries {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples(): Sample[]
}

export interface Metrics extends SvcMetrics {
  /** As for plugins; `collect` runs before each scrape. */
  counter(name: string, help: string, labels?: string[], collect?: () => void): ReturnType<SvcMetrics['counter']>
  /** Adds a series that counts by itself, where the library's counting would be felt on every request. */
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
    text: () => registry.metrics(),
    add({ name, help, type, samples }) {
      const get = (): object => ({
        name, help, type, aggregator: 'sum',
        values: samples().map(({ labels, value, suffix = '' }) => ({ labels, value, metricName: name + suffix })),
      })
      registry.registerMetric({ name, get } as never)
    },
    counter(name, help, labelNames = [], collect?: () => void) {
      const known = counters.get(name)
      if (known !== undefined) return known
      const counts = new Counts(labelNames)
      const counter = new Counter({ name, help, labelNames, registers: [registry], collect: () => {
        collect?.()
        counts.flush(counter)
      } })
      const handle = { inc: (labels?: Record<string, string | number>, value = 1) => counts.add(counter, labels, value) }
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

/** What was counted since the last scrape, by labels: the library hashes labels at every step, and steps are many. */
class Counts {
  readonly #names: readonly string[]
  readonly #byLabels = new Map<string, { labels: Record<string, string | number>; value: number }>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  add(counter: Counter, labels: Record<string, string | number> = {}, value: number): void {
    // Refused by the library, in its own words.
    if (!(value >= 0)) return counter.inc(labels, value)
    let key = ''
    for (const name of this.#names) key += `${labels[name]}\0`
    const count = this.#byLabels.get(key)
    if (count !== undefined) count.value += value
    else {
      // The library's own words for labels that the counter has not.
      counter.inc(labels, value)
      this.#byLabels.set(key, { labels: { ...labels }, value: 0 })
    }
  }

  flush(counter: Counter): void {
    for (const count of this.#byLabels.values()) {
      if (count.value > 0) counter.inc(count.labels, count.value)
      count.value = 0
    }
  }
}
