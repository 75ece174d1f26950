/** Delays of other tools. */
import type { Json } from 'svc/plugin'
import { readDistribution } from 'svc/toolkit'
import type { ItemPath } from '../types.ts'
import type { Stub } from './stub.ts'

/** The delay, or null after a finding if rules cannot have it. */
export function checkedDelay(delay: Json, path: ItemPath, stub: Stub): Json | null {
  try {
    readDistribution(delay, '')
    return delay
  } catch (error) {
    stub.lost(path, `this delay has no counterpart: ${(error as Error).message.slice(0, 150)}`)
    return null
  }
}
