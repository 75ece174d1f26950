/**
 * One timer for the tokens of all streams. A timer a token would be a hundred thousand a second with two thousand streams;
 * here those that are due in the same millisecond wake together.
 */

/** Who waits for a time. */
export interface Sleeper {
  /** Called once for every `at`, and must not throw. */
  wake(): void
}

/** Milliseconds ahead that the clock holds: the next occupied one is looked for one by one. */
const HORIZON_MS = 1_000
/**
 * So many wake in one turn of the event loop. Node accepts one connection a turn: were all woken who are due, streams that
 * run would leave too few turns to those that begin. Turns cost something, so there are many only while streams begin.
 */
const WAKES_A_TURN = { whileStreamsBegin: 16, else: 256 }
/** Who is late by more milliseconds than that wakes all the same: those that begin may not hold up those that run. */
const LATE_MS = 40

export class TokenClock {
  /** Who wakes in which millisecond of the clock. */
  readonly #slots = new Map<number, Sleeper[]>()
  /** Milliseconds up to here have been rung. */
  #rung = 0
  /** A stream has begun since the last turn: others are likely to be waiting for theirs. */
  #hasBegun = false
  /** The millisecond for which a timer is set; -Infinity while the rest of those who are due waits for the next turn. */
  #armedFor = Infinity
  #timer: NodeJS.Timeout | undefined
  readonly #ringAgain = (): void => this.#ring()
  /** Milliseconds that only grow. */
  readonly now: () => number

  /** `clock` tells milliseconds that only grow. */
  constructor(clock = () => performance.now()) {
    this.now = clock
  }

  /** Says that a stream begins. */
  begin(): void {
    this.#hasBegun = true
  }

  /** Wakes once it is `dueAt` on the clock, or up to a millisecond later; a second from now where `dueAt` is beyond that. */
  at(dueAt: number, sleeper: Sleeper, now = this.now()): void {
    if (this.#slots.size === 0) this.#rung = Math.floor(now)
    const slot = Math.max(Math.ceil(Math.min(dueAt, now + HORIZON_MS)), this.#rung + 1)
    const waiting = this.#slots.get(slot)
    if (waiting === undefined) this.#slots.set(slot, [sleeper])
    else waiting.push(sleeper)
    if (slot < this.#armedFor) this.#arm(slot, now)
  }

  #arm(slot: number, now: number): void {
    clearTimeout(this.#timer)
    this.#armedFor = slot
    this.#timer = setTimeout(this.#ringAgain, Math.max(1, slot - now))
  }

  #ring(): void {
    const now = this.now()
    // Nobody who asks for a time while others are woken sets the timer: it is set once, at the end.
    this.#armedFor = -Infinity
    if (!this.#wakeDue(now)) return void setImmediate(this.#ringAgain)
    this.#armedFor = Infinity
    if (this.#slots.size > 0) this.#arm(this.#firstSlot(), now)
  }

  /** Answers whether that was all. */
  #wakeDue(now: number): boolean {
    let left = this.#hasBegun ? WAKES_A_TURN.whileStreamsBegin : WAKES_A_TURN.else
    this.#hasBegun = false
    while (this.#slots.size > 0 && this.#rung + 1 <= now) {
      const waiting = this.#slots.get(this.#rung + 1)
      if (waiting !== undefined) {
        const isLate = now - this.#rung > LATE_MS
        if (left === 0 && !isLate) return false
        const woken = waiting.splice(0, isLate ? Infinity : left)
        left = Math.max(0, left - woken.length)
        for (const sleeper of woken) sleeper.wake()
        // Those behind, and who has asked for this very millisecond meanwhile.
        if (waiting.length > 0) continue
        this.#slots.delete(this.#rung + 1)
      }
      this.#rung++
    }
    return true
  }

  #firstSlot(): number {
    let slot = this.#rung + 1
    while (!this.#slots.has(slot)) slot++
    return slot
  }
}
