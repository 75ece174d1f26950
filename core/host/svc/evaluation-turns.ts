/** Spreads the evaluations of many requests over turns of the event loop. */
import { ownTurn } from '../../contract/turns.ts'

/** Requests arrive together: without turns, all of their evaluations would run before anything else does. */
export class EvaluationTurns {
  /** Steps that all evaluations have taken. */
  steps = 0
  readonly #stepsPerTurn: number
  #before = 0
  #isCounting = false
  /** They share a turn, as far as there is time in it. */
  readonly #waiting: (() => void)[] = []

  constructor(stepsPerTurn: number) {
    this.#stepsPerTurn = stepsPerTurn
  }

  /** Null if there is time for an evaluation in this turn; otherwise resolves in a later one. */
  turn(): Promise<void> | null {
    if (!this.#isCounting) void this.#count()
    if (!this.#isUsedUp) return null
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  get #isUsedUp(): boolean {
    return this.steps - this.#before > this.#stepsPerTurn
  }

  /** Begins a new turn after each turn with evaluations. No other work that waits is done in it. */
  async #count(): Promise<void> {
    this.#isCounting = true
    this.#before = this.steps
    do {
      await ownTurn()
      this.#before = this.steps
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        next()
        // What it evaluates at once is counted before the next one begins.
        for (let tick = 0; tick < 4; tick++) await Promise.resolve()
        if (this.#isUsedUp) break
      }
    } while (this.#waiting.length > 0)
    this.#isCounting = false
  }
}
