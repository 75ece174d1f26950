/** Evaluates conditions on many requests without blocking others. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Conditions are evaluated for this time in one turn, in milliseconds. */
const SLICE_MS = 20
/** And for this time in all. */
const MAX_MS = 10_000

/** The conditions take too long for the stored requests. */
export class TooSlow extends Error {}

/** Calls `visit` for every item, with pauses. Throws `TooSlow` after ten seconds of evaluation. */
export async function inSlices<T>(items: readonly T[], visit: (item: T) => void, maxMs = MAX_MS): Promise<void> {
  let usedMs = 0
  let sliceAt = performance.now()
  for (const item of items) {
    visit(item)
    const now = performance.now()
    if (now - sliceAt < SLICE_MS) continue
    usedMs += now - sliceAt
    if (usedMs > maxMs) throw new TooSlow()
    await nextTurn()
    sliceAt = performance.now()
  }
}
