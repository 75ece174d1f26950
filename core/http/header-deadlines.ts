/** The time until headers: all requests have the same patience, so one timer serves them all, oldest first. */
import type { RequestContext } from './context.ts'

export class HeaderDeadlines {
  readonly #ms: number
  readonly #onDue: (context: RequestContext) => void
  /** With the moment at which each is due, on the monotonic clock; the first is due first. */
  readonly #waiting = new Map<RequestContext, number>()
  #timer: NodeJS.Timeout | null = null

  /** `onDue` is called for a request that has had no headers for so many milliseconds. */
  constructor(ms: number, onDue: (context: RequestContext) => void) {
    this.#ms = ms
    this.#onDue = onDue
  }

  add(context: RequestContext): void {
    this.#waiting.set(context, performance.now() + this.#ms)
    if (this.#timer === null) this.#arm(this.#ms)
  }

  remove(context: RequestContext): void {
    this.#waiting.delete(context)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#endDue(), ms)
    this.#timer.unref()
  }

  /** The timer was set for the oldest of its time, which is mostly long gone. */
  #endDue(): void {
    this.#timer = null
    const now = performance.now()
    for (const [context, dueAt] of this.#waiting) {
      const rest = dueAt - now
      if (rest > 0) return this.#arm(Math.ceil(rest))
      this.#waiting.delete(context)
      this.#onDue(context)
    }
  }
}
