/** A token bucket: so many requests a second on average, so many at once. */

export class TokenBucket {
  readonly #perMs: number
  readonly #capacity: number
  #tokens: number
  #filledAt: number

  /** Starts full. `now` is in milliseconds of a clock that only grows, here and in every call. */
  constructor(perSecond: number, capacity: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#capacity = capacity
    this.#tokens = capacity
    this.#filledAt = now
  }

  /** Tokens there are, fractions included. */
  available(now: number): number {
    if (now > this.#filledAt) {
      this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#filledAt) * this.#perMs)
      this.#filledAt = now
    }
    return this.#tokens
  }

  /** Takes one; ask `available` before. */
  take(): void {
    this.#tokens--
  }

  giveBack(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + 1)
  }
}
