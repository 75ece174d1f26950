/** Waits until enough connections match. */
import { HttpError } from '../contract/plugin.ts'
import type { ConnectionEntry } from '../contract/connections.ts'
import type { Connections } from '../inspector/connections.ts'
import { sleep } from '../toolkit/sleep.ts'

const MAX_WAITS = 100
const MAX_PUBLIC_WAITS = 20
/** Changes within this time are handled together, in milliseconds. */
const GATHER_MS = 10

export class ConnectionWaits {
  readonly #connections: Connections
  readonly #max: number
  #open = 0

  constructor(connections: Connections, publicMode: boolean) {
    this.#connections = connections
    this.#max = publicMode ? MAX_PUBLIC_WAITS : MAX_WAITS
  }

  /** Calls `listener` after each change. Returns a function that stops. Throws 503 if too many wait. */
  listen(listener: () => void): () => void {
    if (this.#open >= this.#max) throw new HttpError(503, { error: 'too_many_waits' })
    this.#open++
    const stop = this.#connections.onChange(listener)
    return () => {
      stop()
      this.#open--
    }
  }

  /**
   * Calls `select` at once, and after each change until `isDone` of its result, the time is over, or the signal aborts. Returns
   * the last result, and the time waited in milliseconds. Throws 503 if too many waits are open.
   */
  async until(
    select: () => Promise<ConnectionEntry[]>,
    isDone: (selected: ConnectionEntry[]) => boolean,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<{ selected: ConnectionEntry[]; waitedMs: number }> {
    const startedAt = performance.now()
    const waited = (): number => Math.round(performance.now() - startedAt)
    let selected = await select()
    if (timeoutMs <= 0 || isDone(selected)) return { selected, waitedMs: waited() }
    let hasChanged = false
    let wake = (): void => {}
    const stop = this.listen(() => {
      hasChanged = true
      wake()
    })
    try {
      // What came before the listener was there.
      selected = await select()
      while (!isDone(selected) && !signal.aborted && waited() < timeoutMs) {
        if (!hasChanged) await sleep(timeoutMs - waited(), { signal, onWake: awake => (wake = awake) })
        else await sleep(GATHER_MS, { signal })
        if (!hasChanged) continue
        hasChanged = false
        selected = await select()
      }
      return { selected, waitedMs: waited() }
    } finally {
      stop()
    }
  }
}
