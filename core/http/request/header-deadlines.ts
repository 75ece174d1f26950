/**
 * The timeout for response headers. All requests have the same timeout, so one timer serves them all, oldest first.
 * Requests are linked to each other instead of being stored in a collection, because every request is added and removed
 * here.
 */

/** A link of the queue, held by the request itself. */
export interface Waiting<T> {
  /** Milliseconds on the monotonic clock; 0 if the request is not waiting. */
  headersDueAt: number
  waitsBefore: T | null
  waitsAfter: T | null
}

export class HeaderDeadlines<T extends Waiting<T>> {
  readonly #ms: number
  readonly #onDue: (request: T) => void
  #first: T | null = null
  #last: T | null = null
  #timer: NodeJS.Timeout | null = null

  /** `onDue` is called for a request without response headers after this many milliseconds. */
  constructor(ms: number, onDue: (request: T) => void) {
    this.#ms = ms
    this.#onDue = onDue
  }

  add(request: T): void {
    request.headersDueAt = performance.now() + this.#ms
    request.waitsAfter = this.#last
    if (this.#last === null) this.#first = request
    else this.#last.waitsBefore = request
    this.#last = request
    if (this.#timer === null) this.#arm(this.#ms)
  }

  /** Does nothing for a request that is not waiting. */
  remove(request: T): void {
    if (request.headersDueAt === 0) return
    const { waitsBefore: next, waitsAfter: previous } = request
    if (previous === null) this.#first = next
    else previous.waitsBefore = next
    if (next === null) this.#last = previous
    else next.waitsAfter = previous
    request.headersDueAt = 0
    request.waitsBefore = request.waitsAfter = null
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#first = this.#last = null
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#endDue(), ms)
    this.#timer.unref()
  }

  /** The timer was set for the request that was the oldest then, which has usually ended. */
  #endDue(): void {
    this.#timer = null
    const now = performance.now()
    for (let request = this.#first; request !== null; request = this.#first) {
      const rest = request.headersDueAt - now
      if (rest > 0) return this.#arm(Math.ceil(rest))
      this.remove(request)
      this.#onDue(request)
    }
  }
}
