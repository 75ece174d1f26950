/** A token bucket: limits the average rate per second and the size of a burst. */

export class TokenBucket {
  readonly #perMs: number
  readonly #capacity: number
  #tokens: number
  #filledAt: number

  /** Starts full. `now` is in milliseconds on a monotonic clock, here and in all other calls. */
  constructor(perSecond: number, capacity: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#capacity = capacity
    this.#tokens = capacity
    this.#filledAt = now
  }

  /** The available tokens, including fractions. */
  available(now: number): number {
    if (now > this.#filledAt) {
      this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#filledAt) * this.#perMs)
      this.#filledAt = now
    }
    return this.#tokens
  }

  /** Takes one token; check `available` first. */
  take(): void {
    this.#tokens--
  }

  giveBack(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + 1)
  }
}
