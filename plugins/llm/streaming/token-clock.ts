/**
 * One timer for the tokens of all streams. With two thousand streams, a timer per token would mean a hundred thousand
 * timers per second; this clock wakes all streams that are due in the same millisecond together.
 */

/** Waits for a time of the clock. */
export interface Sleeper {
  /** Called once for each `at`. Must not throw. */
  wake(): void
}

/** Maximum delay in milliseconds. Limits the linear search for the next used slot. */
const HORIZON_MS = 1_000
/**
 * Maximum number of sleepers to wake in one turn of the event loop. Node accepts one connection per turn: if every due
 * sleeper woke at once, running streams would delay new ones. More turns cost time, so the limit is low only while
 * streams begin.
 */
const WAKES_PER_TURN = { whileStreamsBegin: 16, else: 256 }
/** Sleepers that are later than this wake regardless of the limit, so that new streams don't delay running ones. */
const LATE_MS = 40

export class TokenClock {
  /** Sleepers by the millisecond in which they wake. */
  readonly #slots = new Map<number, Sleeper[]>()
  /** The last millisecond whose sleepers have all been woken. */
  #processed = 0
  /** A stream has begun since the last turn, so more connections are probably waiting. */
  #hasBegun = false
  /** The millisecond for which the timer is set; -Infinity while due sleepers wait for the next turn. */
  #armedFor = Infinity
  #timer: NodeJS.Timeout | undefined
  readonly #tickAgain = (): void => this.#tick()
  /** A monotonic time in milliseconds. */
  readonly now: () => number

  /** `clock` returns a monotonic time in milliseconds. */
  constructor(clock = () => performance.now()) {
    this.now = clock
  }

  /** Call when a stream begins. */
  begin(): void {
    this.#hasBegun = true
  }

  /** Wakes the sleeper at `dueAt`, up to a millisecond later, but at the latest a second from now. */
  at(dueAt: number, sleeper: Sleeper, now = this.now()): void {
    if (this.#slots.size === 0) this.#processed = Math.floor(now)
    const slot = Math.max(Math.ceil(Math.min(dueAt, now + HORIZON_MS)), this.#processed + 1)
    const waiting = this.#slots.get(slot)
    if (waiting === undefined) this.#slots.set(slot, [sleeper])
    else waiting.push(sleeper)
    if (slot < this.#armedFor) this.#arm(slot, now)
  }

  #arm(slot: number, now: number): void {
    clearTimeout(this.#timer)
    this.#armedFor = slot
    this.#timer = setTimeout(this.#tickAgain, Math.max(1, slot - now))
  }

  #tick(): void {
    const now = this.now()
    // Sleepers added meanwhile must not set the timer: it is set once, at the end.
    this.#armedFor = -Infinity
    if (!this.#wakeDue(now)) return void setImmediate(this.#tickAgain)
    this.#armedFor = Infinity
    if (this.#slots.size > 0) this.#arm(this.#firstSlot(), now)
  }

  /** Returns whether all due sleepers have been woken. */
  #wakeDue(now: number): boolean {
    let left = this.#hasBegun ? WAKES_PER_TURN.whileStreamsBegin : WAKES_PER_TURN.else
    this.#hasBegun = false
    while (this.#slots.size > 0 && this.#processed + 1 <= now) {
      const waiting = this.#slots.get(this.#processed + 1)
      if (waiting !== undefined) {
        const isLate = now - this.#processed > LATE_MS
        if (left === 0 && !isLate) return false
        const woken = waiting.splice(0, isLate ? Infinity : left)
        left = Math.max(0, left - woken.length)
        for (const sleeper of woken) sleeper.wake()
        // More sleepers of this millisecond: those over the limit, or added meanwhile.
        if (waiting.length > 0) continue
        this.#slots.delete(this.#processed + 1)
      }
      this.#processed++
    }
    return true
  }

  #firstSlot(): number {
    let slot = this.#processed + 1
    while (!this.#slots.has(slot)) slot++
    return slot
  }
}
