/** Owns when how many bytes of a slow body are due. */

export interface Drop {
  /** Milliseconds after the head. */
  atMs: number
  bytes: number
}

const MAX_DROPS = 200

/**
 * Spreads `bytes` (1 or more) over `durationMs`: the first byte at once, the last one at the end, the others evenly
 * between, in at most 200 drops. A single byte comes at once.
 */
export function scheduleDrops(bytes: number, durationMs: number): Drop[] {
  const drops = Math.min(bytes, MAX_DROPS)
  if (drops === 1 || durationMs === 0) return [{ atMs: 0, bytes }]
  const dueBy = (drop: number): number => 1 + Math.floor(((bytes - 1) * drop) / (drops - 1))
  return Array.from({ length: drops }, (_, drop) => ({
    atMs: Math.round((durationMs * drop) / (drops - 1)),
    bytes: dueBy(drop) - (drop === 0 ? 0 : dueBy(drop - 1)),
  }))
}
