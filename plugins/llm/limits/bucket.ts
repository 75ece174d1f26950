/** Token buckets: pure functions of a stored state and the time. */

import { DIMENSIONS, type Dimension, type LimitState, type Refusal, type Remaining } from '../contract/limit-state.ts'

export type Limits = Partial<Record<Dimension, number>>

/** Level of a bucket and when it was that. A bucket of a day has the level of the day in which that was. */
export interface Level {
  level: number
  /** Milliseconds since 1970. */
  at: number
}
export type Levels = Partial<Record<Dimension, Level>>

export type Amounts = Partial<Record<Dimension, number>>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Levels are floating point numbers. */
const EPSILON = 1e-6

function isDaily(dimension: Dimension): boolean {
  return dimension === 'rpd' || dimension === 'tpd'
}

/** These are paid at the end: a request is refused only if nothing is left. */
function isPaidAtEnd(dimension: Dimension): boolean {
  return dimension === 'otpm' || dimension === 'tpd'
}

function midnightAfter(time: number): number {
  return (Math.floor(time / DAY_MS) + 1) * DAY_MS
}

/** The level at a time. Minute buckets refill continuously, those of a day at midnight (UTC). */
function levelAt(dimension: Dimension, limit: number, known: Level | undefined, now: number): number {
  if (known === undefined) return limit
  // A clock that goes back refills nothing.
  const elapsed = Math.max(0, now - known.at)
  if (isDaily(dimension)) return now >= midnightAfter(known.at) ? limit : Math.min(limit, known.level)
  return Math.min(limit, known.level + (elapsed * limit) / MINUTE_MS)
}

/** Takes the amounts if all fit, otherwise nothing. */
export function take(
  limits: Limits,
  levels: Levels,
  amounts: Amounts,
  now: number,
): { levels: Levels; refusal: Refusal | null } {
  const current: Levels = {}
  let refusal: Refusal | null = null
  for (const dimension of DIMENSIONS) {
    const limit = limits[dimension]
    if (limit === undefined) continue
    const level = levelAt(dimension, limit, levels[dimension], now)
    const at = Math.max(now, levels[dimension]?.at ?? 0)
    const requested = amounts[dimension] ?? 0
    current[dimension] = { level, at }
    const missing = isPaidAtEnd(dimension) ? (level > 0 ? 0 : EPSILON * 2 - level) : requested - level
    if (missing <= EPSILON) continue
    const waitMs = waitFor(dimension, limit, missing, requested, now)
    // The scarcest one says how long the request has to wait.
    if (refusal === null || isLonger(waitMs, refusal.waitMs))
      refusal = { dimension, limit, used: Math.max(0, Math.round(limit - level)), requested, waitMs }
  }
  if (refusal === null)
    for (const dimension of DIMENSIONS) {
      const level = current[dimension]
      if (level !== undefined) level.level -= amounts[dimension] ?? 0
    }
  return { levels: current, refusal }
}

function isLonger(one: number | null, other: number | null): boolean {
  return other !== null && (one === null || one > other)
}

function waitFor(dimension: Dimension, limit: number, missing: number, requested: number, now: number): number | null {
  if (requested > limit) return null
  if (isDaily(dimension)) return midnightAfter(now) - now
  return (missing * MINUTE_MS) / limit
}

/** Adds to the levels, or takes from them if an amount is negative; they may go below 0. */
export function adjust(limits: Limits, levels: Levels, amounts: Amounts, now: number): Levels {
  const adjusted: Levels = {}
  for (const dimension of DIMENSIONS) {
    const limit = limits[dimension]
    if (limit === undefined) continue
    const level = levelAt(dimension, limit, levels[dimension], now) + (amounts[dimension] ?? 0)
    adjusted[dimension] = { level: Math.min(limit, level), at: Math.max(now, levels[dimension]?.at ?? 0) }
  }
  return adjusted
}

/** What is left at a time. */
export function stateOf(limits: Limits, levels: Levels, now: number): LimitState {
  const state: LimitState = {}
  for (const dimension of DIMENSIONS) {
    const limit = limits[dimension]
    if (limit === undefined) continue
    const remaining = levelAt(dimension, limit, levels[dimension], now)
    const missing = limit - remaining
    const fullAt =
      missing <= EPSILON ? now : isDaily(dimension) ? midnightAfter(now) : now + (missing * MINUTE_MS) / limit
    state[dimension] = { limit, remaining, fullAt }
  }
  return state
}

/** Whole units left, as headers show them. */
export function wholeRemaining({ remaining }: Remaining): number {
  return Math.max(0, Math.floor(remaining + EPSILON))
}
