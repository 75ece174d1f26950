/** Evaluates a load test: counts, latencies, and what rejected requests. */
import type { Sample } from './load.ts'
import { statusClass, type StatusClass } from '../protocol/http.ts'

/** Statuses that the instance returned, oldest first, by console ID of the request; null: not observed. */
export type Arrivals = ReadonlyMap<string, readonly number[]> | null

export type SampleClass = StatusClass | 'error'

export function classOf({ status, error }: Sample): SampleClass {
  return status === null || error !== null ? 'error' : statusClass(status)
}

export interface Report {
  count: number
  /** Counts by status, lowest first, then errors by reason. */
  histogram: { key: string; sampleClass: SampleClass; count: number }[]
  /** Milliseconds, for requests with a complete response; null without any. */
  latency: { p50: number; p90: number; p99: number; max: number } | null
  errors: number
  /** Arrivals beyond the first of each request: retries by a gateway or the browser. Null: not observed. */
  retries: number | null
  /** Requests completed per second; null before the first one. */
  perSecond: number | null
  /** Responses with status 400 or above, by status and sender, most frequent first. */
  senders: { status: number; sender: Sender; count: number }[]
}

export function reportOf(samples: readonly Sample[], arrivals: Arrivals, isFinal: boolean): Report {
  const answered = samples.filter(({ status, error }) => status !== null && error === null)
  const endMs = Math.max(0, ...samples.map(({ startMs, ms }) => startMs + ms))
  return {
    count: samples.length,
    histogram: histogramOf(samples),
    latency: latencyOf(answered.map(({ ms }) => ms)),
    errors: samples.length - answered.length,
    retries:
      arrivals && samples.reduce((sum, { id }) => sum + Math.max(0, (arrivals.get(id ?? '')?.length ?? 0) - 1), 0),
    perSecond: endMs > 0 ? (samples.length / endMs) * 1000 : null,
    senders: sendersOf(answered, arrivals, isFinal),
  }
}

function histogramOf(samples: readonly Sample[]): Report['histogram'] {
  const counts = new Map<string, Report['histogram'][number]>()
  for (const sample of samples) {
    const sampleClass = classOf(sample)
    const key = sampleClass === 'error' ? (sample.error ?? 'no response') : String(sample.status)
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { key, sampleClass, count: 1 })
  }
  return [...counts.values()].sort(inOrder)
}

/** Statuses by number, then errors. */
export function inOrder(a: Report['histogram'][number], b: Report['histogram'][number]): number {
  return a.sampleClass === b.sampleClass ? a.key.localeCompare(b.key) : a.sampleClass.localeCompare(b.sampleClass)
}

function latencyOf(times: readonly number[]): Report['latency'] {
  if (times.length === 0) return null
  const sorted = [...times].sort((a, b) => a - b)
  return { p50: percentile(sorted, 50), p90: percentile(sorted, 90), p99: percentile(sorted, 99), max: sorted.at(-1)! }
}

/** Nearest rank: a value that was measured. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!
}

/**
 * What sent a response. `gateway`: the request did not reach the instance; `replaced`: it did, and the instance returned
 * another status.
 */
export type Sender =
  | { who: 'limit'; detail: string }
  | { who: 'fault' | 'instance' | 'gateway' | 'pending' | 'unknown'; detail: '' }
  | { who: 'replaced'; detail: string }

export function senderOf(sample: Sample, arrivals: Arrivals, isFinal: boolean): Sender {
  if (sample.limit !== null) return { who: 'limit', detail: sample.limit }
  if (arrivals === null) return { who: isFailure(sample.fault) ? 'fault' : 'unknown', detail: '' }
  const last = arrivals.get(sample.id ?? '')?.at(-1)
  if (last !== undefined && last !== sample.status) return { who: 'replaced', detail: String(last) }
  if (isFailure(sample.fault)) return { who: 'fault', detail: '' }
  if (last === undefined) return { who: isFinal ? 'gateway' : 'pending', detail: '' }
  return { who: 'instance', detail: '' }
}

/** Whether a fault is a response: `fail`, or a word that a plugin declares. */
function isFailure(fault: string | null): boolean {
  return fault !== null && fault !== 'delay' && fault !== 'abort'
}

function sendersOf(answered: readonly Sample[], arrivals: Arrivals, isFinal: boolean): Report['senders'] {
  const counts = new Map<string, Report['senders'][number]>()
  for (const sample of answered) {
    if (sample.status! < 400) continue
    const sender = senderOf(sample, arrivals, isFinal)
    const key = `${sample.status} ${sender.who} ${sender.detail}`
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { status: sample.status!, sender, count: 1 })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)
}

export type BreakerState = 'closed' | 'open' | 'half-open'

/** From and to in milliseconds since the load began. */
export interface Band {
  state: BreakerState
  fromMs: number
  toMs: number
  count: number
}

/**
 * States of a circuit breaker in front of the instance, read from what it lets through: open while it returns 5xx by
 * itself, half-open where a failed trial comes between two such periods. Empty if it never opens.
 */
export function breakerBands(samples: readonly Sample[], arrivals: Arrivals): Band[] {
  if (arrivals === null) return []
  const periods: (Band & { isFailing: boolean })[] = []
  for (const sample of [...samples].sort((a, b) => a.startMs - b.startMs)) {
    const { who } = senderOf(sample, arrivals, true)
    if (sample.status === null || who === 'limit') continue
    const isRejected = who === 'gateway' && sample.status >= 500
    if (who === 'gateway' && !isRejected) continue
    const last = periods.at(-1)
    const toMs = sample.startMs + sample.ms
    if (last !== undefined && (last.state === 'open') === isRejected)
      Object.assign(last, {
        toMs: Math.max(last.toMs, toMs),
        count: last.count + 1,
        isFailing: last.isFailing && sample.status >= 500,
      })
    else
      periods.push({
        state: isRejected ? 'open' : 'closed',
        fromMs: sample.startMs,
        toMs,
        count: 1,
        isFailing: sample.status >= 500,
      })
  }
  if (!periods.some(({ state }) => state === 'open')) return []
  return periods.map(({ state, fromMs, toMs, count, isFailing }, at) => {
    const isTrial = state === 'closed' && isFailing && at > 0 && at < periods.length - 1
    return { state: isTrial ? 'half-open' : state, fromMs, toMs: periods[at + 1]?.fromMs ?? toMs, count }
  })
}
