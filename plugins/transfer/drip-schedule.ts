/** The schedule of a slow body. */

export interface Drop {
  /** Milliseconds after the response headers. */
  atMs: number
  bytes: number
}

const MAX_DROPS = 200

/**
 * Spreads `bytes` (at least 1) evenly over `durationMs` in at most 200 drops: the first at once, the last at the end. A
 * single byte is sent at once.
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
