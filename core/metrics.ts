/** Metric series by name, one registry a server: a series that exists is shared, so counters go on across generations. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { SvcMetrics } from './host/plugin.ts'

export interface Metrics extends SvcMetrics {
  /** Prometheus text format 0.0.4. */
  text(): Promise<string>
  readonly contentType: string
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  function series<T>(name: string, make: () => T): T {
    return (registry.getSingleMetric(name) as T | undefined) ?? make()
  }
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    counter(name, help, labelNames = []) {
      const counter = series(name, () => new Counter({ name, help, labelNames, registers: [registry] }))
      return { inc: (labels, value = 1) => (labels === undefined ? counter.inc(value) : counter.inc(labels, value)) }
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
