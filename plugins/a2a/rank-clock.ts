/** Numbers that grow with time, so that changes made by several replicas have one order. */
export class RankClock {
  #last = 0

  /** Microseconds since 1970, but always greater than the previous number. */
  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now() * 1000)
    return this.#last
  }
}
