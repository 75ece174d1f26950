/** Repeatable pseudo-random numbers: a hash, and a generator with the hash as seed. */
import { createHash } from 'node:crypto'

/** SHA-256 of the parts, separated by zero bytes, as hex digits. */
export function digest(...parts: (string | number)[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex')
}

/** A generator of numbers in [0, 1): mulberry32 with the first 32 bits of a hex digest as seed. */
export function generator(hex: string): () => number {
  let state = Number.parseInt(hex.slice(0, 8), 16) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
