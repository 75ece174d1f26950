/**
 * One timer for the tokens of all streams. A timer a token would be a hundred thousand a second with two thousand streams;
 * here those that are due in the same millisecond wake together.
 */

/** Milliseconds ahead that the wheel holds; what is later gets a timer of its own. */
const HORIZON_MS = 1_000

export class TokenClock {
  /** Who wakes in which millisecond, on the monotonic clock. */
  readonly #slots = new Map<number, (() => void)[]>()
  /** Milliseconds up to here have been rung. */
  #rung = 0
  #armedFor = Infinity
  #timer: NodeJS.Timeout | undefined

  /** Calls back once it is `dueAt` (of `performance.now()`), or up to a millisecond later. Answers how to prevent that. */
  at(dueAt: number, wake: () => void): () => void {
    const now = performance.now()
    if (dueAt - now > HORIZON_MS) {
      const timer = setTimeout(wake, dueAt - now)
      return () => clearTimeout(timer)
    }
    if (this.#slots.size === 0) this.#rung = Math.floor(now)
    const slot = Math.max(Math.ceil(dueAt), this.#rung + 1)
    const waiting = this.#slots.get(slot)
    if (waiting === undefined) this.#slots.set(slot, [wake])
    else waiting.push(wake)
    if (slot < this.#armedFor) this.#arm(slot, now)
    return () => this.#remove(slot, wake)
  }

  #arm(slot: number, now: number): void {
    clearTimeout(this.#timer)
    this.#armedFor = slot
    this.#timer = setTimeout(() => this.#ring(), Math.max(1, slot - now))
  }

  #ring(): void {
    this.#armedFor = Infinity
    const now = performance.now()
    while (this.#rung + 1 <= now && this.#slots.size > 0) {
      const waiting = this.#slots.get(++this.#rung)
      if (waiting === undefined) continue
      this.#slots.delete(this.#rung)
      for (const wake of waiting) wake()
    }
    const next = this.#firstSlot()
    // A wake-up may have armed it for a later one.
    if (next < this.#armedFor) this.#arm(next, now)
  }

  #firstSlot(): number {
    if (this.#slots.size === 0) return Infinity
    let slot = this.#rung + 1
    while (!this.#slots.has(slot)) slot++
    return slot
  }

  #remove(slot: number, wake: () => void): void {
    const waiting = this.#slots.get(slot)
    if (waiting === undefined) return
    const index = waiting.indexOf(wake)
    if (index !== -1) waiting.splice(index, 1)
    if (waiting.length === 0) this.#slots.delete(slot)
  }
}
