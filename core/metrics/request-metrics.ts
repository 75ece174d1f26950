/**
 * The metrics of HTTP requests. Every request is counted, so the numbers are kept in plain arrays and passed to the
 * metrics library at scrape time: the library hashes labels on every increment.
 */
import type { Metrics, Sample } from './metrics.ts'

/** Values of the label `protocol` in addition to the areas of plugins; all exist from the start. */
const PROTOCOLS = ['http', 'websocket', 'sse']
const FAULTS = ['abort', 'fail', 'delay']
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY'])
/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Maximum number of values of the label `route`: plugins can be added forever, metrics cannot. */
const MAX_ROUTES = 1024
/** Maximum number of values of `route` in the histogram, which has 18 series for each; later routes are `other` there. */
const MAX_TIMED_ROUTES = 250
const CLASSES = 5

/** Counts of one route. */
interface RouteCounts {
  /** By method: number of requests with status 1xx, 2xx, ... */
  classes: Map<string, number[]>
  /** Its own, or that of `other`. */
  durations: Durations
}

/** Times to the response headers. */
interface Durations {
  /**
   * Requests above the previous bound of `BUCKETS` and up to this one; the last element counts those above all bounds.
   */
  buckets: number[]
  seconds: number
}

export class RequestMetrics {
  readonly #flush: () => void
  readonly #routes = new Map<string, RouteCounts>()
  readonly #durations = new Map<string, Durations>()
  readonly #areas = new Set(PROTOCOLS)
  readonly #protocols: ReturnType<Metrics['counter']>
  readonly #faults: ReturnType<Metrics['counter']>
  /** Counts since the last scrape, by protocol; the counter of the library receives them at scrape time. */
  readonly #protocolCounts = new Map<string, number>()
  #egressBytes = 0
  #streamsOpen = 0

  /** `flush` counts all pending requests; it is called before each scrape. */
  constructor(metrics: Metrics, build: { version: string; gitSha: string | null }, flush: () => void) {
    this.#flush = flush
    metrics.add({
      name: 'svc_requests_total',
      help: 'Requests by route, method and status class',
      type: 'counter',
      samples: () => this.#requestSamples(),
    })
    metrics.add({
      name: 'svc_request_duration_seconds',
      help: 'Time from arrival to response headers',
      type: 'histogram',
      samples: () => this.#durationSamples(),
    })
    metrics.add({
      name: 'svc_streams_open',
      help: 'Open event streams, multipart subscriptions and WebSockets',
      type: 'gauge',
      samples: () => [{ labels: {}, value: this.#streamsOpen }],
    })
    metrics.add({
      name: 'svc_egress_bytes_total',
      help: 'Bytes of HTTP response bodies',
      type: 'counter',
      samples: () => [{ labels: {}, value: this.#egressBytes }],
    })
    this.#protocols = metrics.counter('svc_protocol_requests_total', 'Requests by protocol', ['protocol'], () =>
      this.#flushProtocols(),
    )
    this.#faults = metrics.counter('svc_faults_injected_total', 'Faults injected on request', ['kind'], flush)
    this.declare({ areas: PROTOCOLS, faultKinds: FAULTS })
    metrics.add({
      name: 'svc_build_info',
      help: 'Version and revision of the service',
      type: 'gauge',
      aggregator: 'max',
      samples: () => [{ labels: { version: build.version, git_sha: build.gitSha ?? 'unknown' }, value: 1 }],
    })
  }

  /** Creates the metrics of the areas and fault kinds that plugins declare. */
  declare({ areas, faultKinds }: { areas: readonly string[]; faultKinds: readonly string[] }): void {
    for (const protocol of areas) {
      this.#areas.add(protocol)
      this.#protocols.inc({ protocol }, 0)
    }
    for (const kind of faultKinds) this.#faults.inc({ kind }, 0)
  }

  /** Whether requests can be counted under this protocol. */
  isArea(name: string): boolean {
    return this.#areas.has(name)
  }

  /**
   * Counts one request whose response headers are sent, or whose client disconnected before that (`latencyMs` null).
   */
  countRequest(route: string, method: string, status: number, latencyMs: number | null): void {
    const counts = this.#countsOf(route)
    const name = METHODS.has(method) ? method : 'OTHER'
    let classes = counts.classes.get(name)
    if (classes === undefined) counts.classes.set(name, (classes = zeros(CLASSES)))
    classes[Math.min(CLASSES, Math.max(1, Math.trunc(status / 100))) - 1]!++
    if (latencyMs === null) return
    const seconds = latencyMs / 1000
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
    counts.durations.buckets[bucket]!++
    counts.durations.seconds += seconds
  }

  countProtocol(protocol: string): void {
    this.#protocolCounts.set(protocol, (this.#protocolCounts.get(protocol) ?? 0) + 1)
  }

  countFault(kind: string): void {
    this.#faults.inc({ kind })
  }

  addEgress(bytes: number): void {
    this.#egressBytes += bytes
  }

  /** An event stream or a WebSocket opened (1) or closed (-1). */
  addOpenStreams(change: 1 | -1): void {
    this.#streamsOpen += change
  }

  /** Open event streams and WebSockets. */
  get openStreams(): number {
    return this.#streamsOpen
  }

  /** Number of requests since the process started. */
  requestCount(): number {
    let count = 0
    for (const { classes } of this.#routes.values())
      for (const ofMethod of classes.values()) for (const ofClass of ofMethod) count += ofClass
    return count
  }

  #countsOf(route: string): RouteCounts {
    const known = this.#routes.get(route)
    if (known !== undefined) return known
    if (route !== 'other' && this.#routes.size >= MAX_ROUTES) return this.#countsOf('other')
    const counts: RouteCounts = { classes: new Map(), durations: this.#durationsOf(route) }
    this.#routes.set(route, counts)
    return counts
  }

  #durationsOf(route: string): Durations {
    const known = this.#durations.get(route)
    if (known !== undefined) return known
    if (route !== 'other' && this.#durations.size >= MAX_TIMED_ROUTES) return this.#durationsOf('other')
    const durations: Durations = { buckets: zeros(BUCKETS.length + 1), seconds: 0 }
    this.#durations.set(route, durations)
    return durations
  }

  #flushProtocols(): void {
    this.#flush()
    for (const [protocol, count] of this.#protocolCounts) this.#protocols.inc({ protocol }, count)
    this.#protocolCounts.clear()
  }

  #requestSamples(): Sample[] {
    this.#flush()
    const samples: Sample[] = []
    for (const [route, { classes }] of this.#routes) {
      for (const [method, counts] of classes) {
        counts.forEach((value, index) => {
          if (value > 0) samples.push({ labels: { route, method, status_class: `${index + 1}xx` }, value })
        })
      }
    }
    return samples
  }

  #durationSamples(): Sample[] {
    this.#flush()
    const samples: Sample[] = []
    for (const [route, { buckets, seconds }] of this.#durations) {
      let count = 0
      buckets.forEach((value, index) => {
        count += value
        samples.push({
          suffix: '_bucket',
          labels: { route, le: index < BUCKETS.length ? String(BUCKETS[index]) : '+Inf' },
          value: count,
        })
      })
      samples.push(
        { suffix: '_sum', labels: { route }, value: seconds },
        { suffix: '_count', labels: { route }, value: count },
      )
    }
    return samples
  }
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0)
}
