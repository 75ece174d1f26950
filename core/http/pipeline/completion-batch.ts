/**
 * Requests whose heads are out, reported to metrics, access log and inspector some milliseconds later and many at a time.
 * Code that runs two hundred times in a row costs a third of the same code run once per request, between everything else
 * that a request needs.
 */
import type { RequestContext } from '../request/context.ts'

/** Called once for every request: its head has gone out, or its client has left before (status 0). */
export type CompletionReader = (context: RequestContext) => void

/** Milliseconds that requests wait to be reported. */
const GATHER_MS = 10
/** Requests that wait at most: each is held with its body. */
const MAX_WAITING = 500

export class CompletionBatch {
  readonly #readers: readonly CompletionReader[]
  #waiting: RequestContext[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(readers: readonly CompletionReader[]) {
    this.#readers = readers
  }

  add(context: RequestContext): void {
    const count = this.#waiting.push(context)
    if (count >= MAX_WAITING) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref()
  }

  /** Reports everything that waits. To be called before what the readers keep is read. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waiting.length === 0) return
    const requests = this.#waiting
    this.#waiting = []
    for (const read of this.#readers) for (const context of requests) read(context)
  }
}
