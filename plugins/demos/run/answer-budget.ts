/** Bytes of answers that a step may hold: those that come at the moment, and those that its expectations will read. */
import { BoundError } from './bound-error.ts'

export class AnswerBudget {
  readonly #limit: number
  #held = 0
  #isExceeded = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** For one answer. */
  share(): AnswerShare {
    return new AnswerShare(this)
  }

  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) this.#isExceeded = true
    else this.#held += bytes
    return !this.#isExceeded
  }

  give(bytes: number): void {
    this.#held -= bytes
  }

  /** Throws `BoundError` if answers were cut off: what is missing says nothing about the gateway. */
  check(): void {
    if (this.#isExceeded) throw new BoundError(`at most ${this.#limit} bytes of answers at once in a step`)
  }
}

/** What one answer has taken. */
export class AnswerShare {
  readonly #budget: AnswerBudget
  #taken = 0

  constructor(budget: AnswerBudget) {
    this.#budget = budget
  }

  readonly take = (bytes: number): boolean => {
    if (!this.#budget.take(bytes)) return false
    this.#taken += bytes
    return true
  }

  /** Gives back all but what is kept for expectations. */
  keep(bytes: number): void {
    const kept = Math.min(bytes, this.#taken)
    this.#budget.give(this.#taken - kept)
    this.#taken = kept
  }
}
