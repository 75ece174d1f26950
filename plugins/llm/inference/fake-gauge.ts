/** Gauges that are functions of the clock, so that every scrape is predictable. */

export type FakeGauge =
  | number
  | { ramp: [number, number]; period_s: number; phase_s?: number }
  | { square: [number, number]; period_s: number; duty?: number; phase_s?: number }
  | { oscillate: [number, number]; period_s: number; phase_s?: number }

const DAY_MS = 86_400_000

/** The value at a time in milliseconds since 1970. Time counts from midnight UTC. */
export function valueAt(gauge: FakeGauge, now: number): number {
  if (typeof gauge === 'number') return gauge
  const { period_s: period, phase_s: phase = 0 } = gauge
  const seconds = (now % DAY_MS) / 1000 + phase
  const share = (((seconds % period) + period) % period) / period
  if ('ramp' in gauge) return between(gauge.ramp, share)
  if ('square' in gauge) return gauge.square[share < (gauge.duty ?? 0.5) ? 1 : 0]
  return between(gauge.oscillate, (1 - Math.cos(2 * Math.PI * share)) / 2)
}

function between([from, to]: readonly [number, number], share: number): number {
  return from + (to - from) * share
}
