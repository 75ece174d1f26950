/** Sees whether this process had to wait for the processor: what was measured meanwhile says nothing about the gateway. */
import type { ProcessLoad } from '../types.ts'
import { clock } from './changes.ts'

const TICK_MS = 50
/** The shortest bound of a check is a second. */
const STALL_MS = 300
/** Stalls that are remembered, and how short they may be. */
const MAX_STALLS = 500
const SHORTEST_MS = 5

export class LoadMonitor implements ProcessLoad {
  /** When the last long stall ended. */
  #stalledMs = Number.NEGATIVE_INFINITY
  readonly #stalls: { fromMs: number; toMs: number }[] = []
  readonly #tickEveryMs: number
  readonly #timer: NodeJS.Timeout
  #tickedMs = clock()

  constructor(tickEveryMs = TICK_MS) {
    this.#tickEveryMs = tickEveryMs
    this.#timer = setInterval(() => this.#tick(), tickEveryMs)
    this.#timer.unref()
  }

  hasStalledSince(ms: number): boolean {
    this.#tick()
    return this.#stalledMs > ms
  }

  stalledMs(fromMs: number, toMs: number): number {
    this.#tick()
    return this.#stalls.reduce(
      (sum, stall) => sum + Math.max(0, Math.min(stall.toMs, toMs) - Math.max(stall.fromMs, fromMs)),
      0,
    )
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const now = clock()
    const dueMs = this.#tickedMs + this.#tickEveryMs
    if (now > dueMs + STALL_MS) this.#stalledMs = now
    if (now > dueMs + SHORTEST_MS) {
      this.#stalls.push({ fromMs: dueMs, toMs: now })
      if (this.#stalls.length > MAX_STALLS) this.#stalls.shift()
    }
    this.#tickedMs = now
  }
}
