/** The source of a subscription: a number of events, the first at once, the others at intervals. */
import type { Pace } from './types.ts'

/**
 * An async iterator instead of a generator function: `return()` of a generator that awaits a timer takes effect only when
 * the timer has fired. This one ends at once, so a client that disconnects leaves no timer behind.
 */
export class PacedSequence<Event> implements AsyncIterableIterator<Event> {
  readonly #count: number
  readonly #intervalMs: number
  readonly #make: (sequence: number) => Event
  #sequence = 0
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  /** `make` receives the number of the event, from 0. */
  constructor(count: number, intervalMs: number, make: (sequence: number) => Event) {
    this.#count = count
    this.#intervalMs = intervalMs
    this.#make = make
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Event>> {
    if (this.#sequence >= this.#count) this.#isOver = true
    if (!this.#isOver && this.#sequence > 0) await this.#pause()
    return this.#isOver ? { done: true, value: undefined } : { done: false, value: this.#make(this.#sequence++) }
  }

  async return(): Promise<IteratorResult<Event>> {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#wake?.()
    return { done: true, value: undefined }
  }

  #pause(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, this.#intervalMs)
    })
  }
}

const COUNT = { min: 1, max: 100 }
const INTERVAL_MS = { min: 50, max: 10_000 }

/** A sequence whose count and interval are clamped to what a client may ask for. */
export function paceEvents<Event>(
  { count, intervalMs }: Pace,
  make: (sequence: number) => Event,
): PacedSequence<Event> {
  return new PacedSequence(clamp(count, COUNT), clamp(intervalMs, INTERVAL_MS), make)
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(Math.max(value, min), max)
}
