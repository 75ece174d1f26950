/** Evaluates a load test: counts, latencies, and what rejected requests. */
import type { Shot } from './load.ts'
import { statusClass, type StatusClass } from '../protocol/http.ts'

/** Statuses that the instance returned, oldest first, by console ID of the request; null: not observed. */
export type Arrivals = ReadonlyMap<string, readonly number[]> | null

export type ShotClass = StatusClass | 'error'

export function classOf({ status, error }: Shot): ShotClass {
  return status === null || error !== null ? 'error' : statusClass(status)
}

export interface Report {
  count: number
  /** Counts by status, lowest first, then errors by reason. */
  histogram: { key: string; shotClass: ShotClass; count: number }[]
  /** Milliseconds, for requests with a complete response; null if there are none. */
  latency: { p50: number; p90: number; p99: number; max: number } | null
  errors: number
  /** Arrivals beyond the first of each request: retries by a gateway or the browser. Null: not observed. */
  retries: number | null
  /** Requests completed per second; null if there are none yet. */
  perSecond: number | null
  /** Responses with status 400 or above, by status and sender, most frequent first. */
  senders: { status: number; sender: Sender; count: number }[]
}

export function reportOf(shots: readonly Shot[], arrivals: Arrivals, isFinal: boolean): Report {
  const answered = shots.filter(({ status, error }) => status !== null && error === null)
  const endMs = Math.max(0, ...shots.map(({ startMs, ms }) => startMs + ms))
  return {
    count: shots.length,
    histogram: histogramOf(shots),
    latency: latencyOf(answered.map(({ ms }) => ms)),
    errors: shots.length - answered.length,
    retries: arrivals && shots.reduce((sum, { id }) => sum + Math.max(0, (arrivals.get(id ?? '')?.length ?? 0) - 1), 0),
    perSecond: endMs > 0 ? (shots.length / endMs) * 1000 : null,
    senders: sendersOf(answered, arrivals, isFinal),
  }
}

function histogramOf(shots: readonly Shot[]): Report['histogram'] {
  const counts = new Map<string, Report['histogram'][number]>()
  for (const shot of shots) {
    const shotClass = classOf(shot)
    const key = shotClass === 'error' ? (shot.error ?? 'no response') : String(shot.status)
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { key, shotClass, count: 1 })
  }
  return [...counts.values()].sort(inOrder)
}

/** Statuses by number, then errors. */
export function inOrder(a: Report['histogram'][number], b: Report['histogram'][number]): number {
  return a.shotClass === b.shotClass ? a.key.localeCompare(b.key) : a.shotClass.localeCompare(b.shotClass)
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

export function senderOf(shot: Shot, arrivals: Arrivals, isFinal: boolean): Sender {
  if (shot.limit !== null) return { who: 'limit', detail: shot.limit }
  if (arrivals === null) return { who: shot.fault === 'fail' ? 'fault' : 'unknown', detail: '' }
  const last = arrivals.get(shot.id ?? '')?.at(-1)
  if (last !== undefined && last !== shot.status) return { who: 'replaced', detail: String(last) }
  if (shot.fault === 'fail') return { who: 'fault', detail: '' }
  if (last === undefined) return { who: isFinal ? 'gateway' : 'pending', detail: '' }
  return { who: 'instance', detail: '' }
}

function sendersOf(answered: readonly Shot[], arrivals: Arrivals, isFinal: boolean): Report['senders'] {
  const counts = new Map<string, Report['senders'][number]>()
  for (const shot of answered) {
    if (shot.status! < 400) continue
    const sender = senderOf(shot, arrivals, isFinal)
    const key = `${shot.status} ${sender.who} ${sender.detail}`
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { status: shot.status!, sender, count: 1 })
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
 * States of a circuit breaker in front of the instance, read from what it lets through: open while it answers 5xx by
 * itself, half-open where a failed trial comes between two such periods. Empty if it never opens.
 */
export function breakerBands(shots: readonly Shot[], arrivals: Arrivals): Band[] {
  if (arrivals === null) return []
  const periods: (Band & { isFailing: boolean })[] = []
  for (const shot of [...shots].sort((a, b) => a.startMs - b.startMs)) {
    const { who } = senderOf(shot, arrivals, true)
    if (shot.status === null || who === 'limit') continue
    const isRejected = who === 'gateway' && shot.status >= 500
    if (who === 'gateway' && !isRejected) continue
    const last = periods.at(-1)
    const toMs = shot.startMs + shot.ms
    if (last !== undefined && (last.state === 'open') === isRejected)
      Object.assign(last, {
        toMs: Math.max(last.toMs, toMs),
        count: last.count + 1,
        isFailing: last.isFailing && shot.status >= 500,
      })
    else
      periods.push({
        state: isRejected ? 'open' : 'closed',
        fromMs: shot.startMs,
        toMs,
        count: 1,
        isFailing: shot.status >= 500,
      })
  }
  if (!periods.some(({ state }) => state === 'open')) return []
  return periods.map(({ state, fromMs, toMs, count, isFailing }, at) => {
    const isTrial = state === 'closed' && isFailing && at > 0 && at < periods.length - 1
    return { state: isTrial ? 'half-open' : state, fromMs, toMs: periods[at + 1]?.fromMs ?? toMs, count }
  })
}
