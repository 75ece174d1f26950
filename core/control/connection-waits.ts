/** Waits until enough connections match. */
import { HttpError } from '../contract/plugin.ts'
import type { ConnectionEntry } from '../contract/connections.ts'
import type { Connections } from '../inspector/connections.ts'

const MAX_WAITS = 100
const MAX_PUBLIC_WAITS = 20
/** Changes within this time are looked at together, in milliseconds. */
const GATHER_MS = 10

export class ConnectionWaits {
  readonly #connections: Connections
  readonly #max: number
  #open = 0

  constructor(connections: Connections, publicMode: boolean) {
    this.#connections = connections
    this.#max = publicMode ? MAX_PUBLIC_WAITS : MAX_WAITS
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
    if (this.#open >= this.#max) throw new HttpError(503, { error: 'too_many_waits' })
    this.#open++
    let hasChanged = false
    let wake = (): void => {}
    const stop = this.#connections.onChange(() => {
      hasChanged = true
      wake()
    })
    try {
      // What came before the listener was there.
      selected = await select()
      while (!isDone(selected) && !signal.aborted && waited() < timeoutMs) {
        if (!hasChanged) await sleep(timeoutMs - waited(), signal, awake => (wake = awake))
        else await sleep(GATHER_MS, signal, () => {})
        if (!hasChanged) continue
        hasChanged = false
        selected = await select()
      }
      return { selected, waitedMs: waited() }
    } finally {
      stop()
      this.#open--
    }
  }
}

function sleep(ms: number, signal: AbortSignal, onWake: (wake: () => void) => void): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.max(0, ms))
    signal.addEventListener('abort', done, { once: true })
    onWake(done)
  })
}
