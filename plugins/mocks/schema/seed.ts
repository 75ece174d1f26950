/** Reproducible pseudo-random choices from a seed and a location. */

/** A 32-bit hash of a text (FNV-1a with a final mix, so that similar texts differ widely). */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index)
    value = Math.imul(value, 0x01000193)
  }
  value ^= value >>> 16
  value = Math.imul(value, 0x85ebca6b)
  value ^= value >>> 13
  value = Math.imul(value, 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** A stream of pseudo-random numbers for one location. */
export class SeededRandom {
  #state: number

  constructor(seed: string) {
    this.#state = hash(seed)
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let value = this.#state
    value = Math.imul(value ^ (value >>> 15), value | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }

  /** An integer between the bounds, inclusive. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.integer(0, list.length - 1)]
  }

  /** Lower-case hexadecimal digits. */
  hex(length: number): string {
    let text = ''
    while (text.length < length) text += this.integer(0, 15).toString(16)
    return text
  }
}
