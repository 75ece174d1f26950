/** What is reported while no values are set: the load of this process. */
import { availableParallelism, totalmem } from 'node:os'
import type { ProviderLoad } from '../llm/types.ts'
import type { LoadReport } from './report.ts'

const WINDOW_SECS = 10
const CPU_SAMPLE_MS = 1000
const MICROS_PER_MS = 1000
const STATUS_OF_ERRORS = 500

/** Requests and errors of the last ten seconds, and the processor time of the last one. Times are those of `performance.now`. */
export class Measurements {
  readonly #buckets = Array.from({ length: WINDOW_SECS }, () => ({ second: -1, requests: 0, errors: 0 }))
  #cpu = process.cpuUsage()
  #cpuAt = performance.now()
  #cpuShare = 0

  /** Counts a response, as an error if its status is 500 or more, or a call. */
  count(now: number, status = 200): void {
    const bucket = this.#bucketAt(now)
    bucket.requests++
    if (status >= STATUS_OF_ERRORS) bucket.errors++
  }

  report(now: number, loads: readonly { id: string; load: ProviderLoad }[]): LoadReport {
    const first = Math.floor(now / 1000) - WINDOW_SECS
    let requests = 0
    let errors = 0
    for (const bucket of this.#buckets) {
      if (bucket.second <= first) continue
      requests += bucket.requests
      errors += bucket.errors
    }
    const named = metricsOf(loads)
    return {
      cpu_utilization: rounded(this.#cpuUtilization(now)),
      mem_utilization: rounded(Math.min(1, process.memoryUsage.rss() / memory())),
      rps_fractional: requests / WINDOW_SECS,
      eps: errors / WINDOW_SECS,
      ...(Object.keys(named).length === 0 ? {} : { named_metrics: named }),
    }
  }

  /** Share of all processors, in the last sample of at least a second. */
  #cpuUtilization(now: number): number {
    const elapsed = now - this.#cpuAt
    if (elapsed < CPU_SAMPLE_MS) return this.#cpuShare
    const { user, system } = process.cpuUsage(this.#cpu)
    this.#cpuShare = (user + system) / MICROS_PER_MS / elapsed / availableParallelism()
    this.#cpu = process.cpuUsage()
    this.#cpuAt = now
    return this.#cpuShare
  }

  #bucketAt(now: number): { second: number; requests: number; errors: number } {
    const second = Math.floor(now / 1000)
    const bucket = this.#buckets[second % WINDOW_SECS]!
    if (bucket.second !== second) {
      bucket.second = second
      bucket.requests = 0
      bucket.errors = 0
    }
    return bucket
  }
}

/** Bytes that the process may use. */
function memory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}

/** The names of vLLM; with the provider before them if there are several. */
function metricsOf(loads: readonly { id: string; load: ProviderLoad }[]): Record<string, number> {
  const metrics: Record<string, number> = {}
  for (const { id, load } of loads) {
    const prefix = loads.length === 1 ? '' : `${id}.`
    metrics[`${prefix}kv_cache_usage_perc`] = rounded(load.kvCacheUsage)
    metrics[`${prefix}num_requests_waiting`] = load.waiting
    metrics[`${prefix}num_requests_running`] = load.running
  }
  return metrics
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
