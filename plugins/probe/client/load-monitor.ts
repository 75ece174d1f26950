/** Sees whether this process had to wait for the processor: what was measured meanwhile says nothing about the gateway. */
import { clock } from './changes.ts'

const TICK_MS = 50
/** The shortest bound of a check is a second. */
const STALL_MS = 300

export class LoadMonitor {
  /** When the last stall ended. */
  #stalledMs = Number.NEGATIVE_INFINITY
  readonly #timer: NodeJS.Timeout
  #tickedMs = clock()

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
    this.#timer.unref()
  }

  hasStalledSince(ms: number): boolean {
    this.#tick()
    return this.#stalledMs > ms
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = clock()
    if (now - this.#tickedMs > TICK_MS + STALL_MS) this.#stalledMs = now
    this.#tickedMs = now
  }
}
