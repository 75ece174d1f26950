/**
 * Reports requests whose response headers were sent to metrics, access log and inspector, some milliseconds later and
 * in batches. Code that runs two hundred times in a row costs a third of the same code run once per request.
 */
import type { RequestContext } from '../request/context.ts'

/**
 * Called once for every request: when its response headers are sent, or when its client disconnects before (status 0).
 */
export type CompletionReader = (context: RequestContext) => void

/** How long requests wait to be reported, in milliseconds. */
const GATHER_MS = 10
/** Maximum number of waiting requests; each is held with its body. */
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

  /** Reports all waiting requests. Call it before reading metrics or captured requests. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#waiting.length === 0) return
    const requests = this.#waiting
    this.#waiting = []
    for (const read of this.#readers) for (const context of requests) read(context)
  }
}
