/** Priorities of other tools as those of rules. */

/** Below it, `--closed` has its rule. */
const LOWEST = -999
const HIGHEST = 1000

/**
 * Translates priorities, of which a higher one is evaluated first: as they are if they are all from -999 to 1000, otherwise by rank
 * around 0. `neutral` becomes 0.
 */
export function priorities(all: readonly number[], neutral: number): (priority: number) => number {
  const distinct = [...new Set([...all, neutral])].toSorted((a, b) => a - b)
  const plain = (priority: number): number => priority - neutral
  if (distinct.every(one => plain(one) >= LOWEST && plain(one) <= HIGHEST && Number.isInteger(one))) return plain
  const middle = distinct.indexOf(neutral)
  return priority => Math.min(HIGHEST, Math.max(LOWEST, distinct.indexOf(priority) - middle))
}
