/**
 * Spreads work that arrives at once over turns of the event loop. One packet can begin hundreds of HTTP/2 streams and reset
 * them again (CVE-2023-44487); when the turn of the later ones comes, they are known to be closed and cost nothing.
 */
export class TurnLimit {
  readonly #perTurn: number
  #started = 0
  #waiting: (() => void)[] = []
  #isScheduled = false

  constructor(perTurn: number) {
    this.#perTurn = perTurn
  }

  /** Runs the function now, or in order in one of the next turns. */
  run(start: () => void): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(this.#next)
    }
    if (this.#started >= this.#perTurn) this.#waiting.push(start)
    else {
      this.#started++
      start()
    }
  }

  readonly #next = (): void => {
    const due = this.#waiting.splice(0, this.#perTurn)
    this.#started = due.length
    this.#isScheduled = due.length > 0
    if (this.#isScheduled) setImmediate(this.#next)
    for (const start of due) start()
  }
}
