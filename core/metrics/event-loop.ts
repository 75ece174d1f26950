/** How busy the event loop is: whether svc itself is the bottleneck of a load test. */
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

const SAMPLE_MS = 1_000
/** `busiest` looks back this number of samples. */
const SAMPLES = 60
/** Milliseconds between the measurements of the delay. */
const RESOLUTION_MS = 20
const NS_PER_MS = 1e6

/** What `GET /_svc/status` shows. */
export interface EventLoopView {
  /** Share of the last second in which the loop was busy, 0 to 1. */
  utilization: number
  /** The highest share of a second in the last minute. */
  busiest: number
  /** How late timers ran in the last second, in milliseconds, 99th percentile and maximum: what a request waits. Null outside of load mode. */
  delay_p99_ms: number | null
  delay_max_ms: number | null
}

export class EventLoopMeter {
  readonly #timer: NodeJS.Timeout
  readonly #delay: ReturnType<typeof monitorEventLoopDelay> | null
  /** Newest last. */
  readonly #samples: number[] = [0]
  #last: EventLoopUtilization = performance.eventLoopUtilization()
  #delays: { p99: number; max: number } | null = null

  /** `measuresDelay` costs a timer every 20 ms. `sampleMs` is for tests. */
  constructor({ measuresDelay, sampleMs = SAMPLE_MS }: { measuresDelay: boolean; sampleMs?: number }) {
    this.#delay = measuresDelay ? monitorEventLoopDelay({ resolution: RESOLUTION_MS }) : null
    this.#delay?.enable()
    this.#timer = setInterval(() => this.#sample(), sampleMs).unref()
  }

  view(): EventLoopView {
    return {
      utilization: this.#samples.at(-1)!,
      busiest: Math.max(...this.#samples),
      delay_p99_ms: this.#delays?.p99 ?? null,
      delay_max_ms: this.#delays?.max ?? null,
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#delay?.disable()
  }

  #sample(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#last)
    this.#last = now
    this.#samples.push(round(utilization))
    if (this.#samples.length > SAMPLES) this.#samples.shift()
    if (this.#delay === null) return
    this.#delays = { p99: late(this.#delay.percentile(99)), max: late(this.#delay.max) }
    this.#delay.reset()
  }
}

/** Adds the share of the busiest worker to the metrics. */
export function addEventLoopMetric(metrics: Metrics, meter: EventLoopMeter): void {
  metrics.add({
    name: 'svc_event_loop_utilization',
    help: 'Share of the last second in which the event loop was busy, of the busiest worker',
    type: 'gauge',
    aggregator: 'max',
    samples: () => [{ labels: {}, value: meter.view().utilization }],
  })
}

/** The histogram has the whole interval, in nanoseconds. */
function late(interval: number): number {
  return Number.isFinite(interval) ? Math.max(0, round(interval / NS_PER_MS - RESOLUTION_MS)) : 0
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
