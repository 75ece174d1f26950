/** Calendar periods of quotas, in UTC. */
import type { LimitPeriod } from '../config/plans.ts'

/** Milliseconds since 1970; `end` is the start of the next one. */
export interface Period {
  kind: LimitPeriod
  start: number
  end: number
}

/** The period that contains a point in time. */
export function periodAt(kind: LimitPeriod, now: number): Period {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), kind === 'day' ? date.getUTCDate() : 1]
  return {
    kind,
    start: Date.UTC(year, month, day),
    end: kind === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, day),
  }
}

/** Whole seconds until the period ends, at least 1. */
export function secondsLeft({ end }: Period, now: number): number {
  return Math.max(1, Math.ceil((end - now) / 1000))
}

/** The JSON form of a period. */
export function periodView(
  period: Period,
  now: number,
): { kind: LimitPeriod; start: string; end: string; resets_in_secs: number } {
  return {
    kind: period.kind,
    start: printSeconds(period.start),
    end: printSeconds(period.end),
    resets_in_secs: secondsLeft(period, now),
  }
}

/** RFC 3339 without fractions. */
export function printSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
