/** Seeded randomness: the same seed gives the same cases on every machine. */

/** The generator sfc32, seeded with a text. */
export class Random {
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(seed: string) {
    let hash = 0x811c9dc5
    for (let index = 0; index < seed.length; index++) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193)
    this.#a = hash | 0
    this.#b = Math.imul(hash, 0x85ebca6b) | 0
    this.#c = Math.imul(hash, 0xc2b2ae35) | 0
    for (let round = 0; round < 12; round++) this.next()
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#count++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** An integer from 0 to `bound` - 1; 0 if the bound is 0. */
  below(bound: number): number {
    return bound <= 1 ? 0 : this.next() % bound
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}
