/** Delays of other tools. */
import type { Json } from 'svc/plugin'
import { readDistribution } from 'svc/toolkit'
import type { ItemPath } from '../types.ts'
import type { Stub } from './stub.ts'

/** The longest delay of a response, in milliseconds. */
const MAX_DELAY_MS = 30_000
/** The share of all draws of a distribution that are not longer than the longest delay. */
const USUAL = 0.99

/** Whole milliseconds from 0 to `max`, with a finding if they were more. */
export function wholeMs(ms: number, path: ItemPath, stub: Stub, max = MAX_DELAY_MS): number {
  if (ms > max) stub.changed(path, `svc waits for at most ${max / 1000} seconds`)
  return Math.min(max, Math.max(0, Math.round(ms)))
}

/** The distribution, or null after a finding if rules cannot have it. */
export function checkedDelay(delay: Json, path: ItemPath, stub: Stub): Json | null {
  try {
    if (readDistribution(delay, '').at(USUAL) > MAX_DELAY_MS)
      stub.changed(path, `svc waits for at most ${MAX_DELAY_MS / 1000} seconds`)
    return delay
  } catch (error) {
    stub.lost(path, `this delay has no counterpart: ${(error as Error).message.slice(0, 150)}`)
    return null
  }
}
