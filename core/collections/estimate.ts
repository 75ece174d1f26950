/** Estimates the memory of many entries from some of them: for stores that are not bounded in bytes. */
import { heldValueBytes } from './value-memory.ts'

/** Entries that are measured. */
const SAMPLE = 64

/**
 * Memory of `count` entries: every n-th is measured. `overheadOf` returns that of an entry without its value. Names of members
 * that all values have in common count once, as the engine keeps them.
 */
export function estimateBytes<T>(
  entries: Iterable<T>,
  count: number,
  valueOf: (entry: T) => unknown,
  overheadOf: (entry: T) => number = () => 0,
): number {
  const step = Math.max(1, Math.floor(count / SAMPLE))
  const values: unknown[] = []
  let index = 0
  let overhead = 0
  for (const entry of entries) {
    if (index++ % step !== 0) continue
    values.push(valueOf(entry))
    overhead += overheadOf(entry)
  }
  return values.length === 0 ? 0 : Math.round(((overhead + roughBytes(values)) / values.length) * count)
}

/** As `heldValueBytes`, for any value; 0 for one that refers to itself, which has no size as data. */
export function roughBytes(value: unknown): number {
  try {
    return heldValueBytes(value)
  } catch {
    return 0
  }
}
