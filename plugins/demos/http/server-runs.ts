/** The runs of the server: those that go on, and the newest that have ended. */
import { HttpError, type MeasuresMemory, type MemoryUse } from 'svc/plugin'
import type { RunBounds } from '../file/bounds.ts'
import type { ServerRun } from './server-run.ts'

/** Bytes of an event, roughly. */
const EVENT_BYTES = 400

export class ServerRuns implements MeasuresMemory {
  /** Oldest first. */
  readonly #runs: ServerRun[] = []

  get newestFirst(): ServerRun[] {
    return this.#runs.toReversed()
  }

  find(id: string): ServerRun | undefined {
    return this.#runs.find(run => run.id === id)
  }

  /** Throws 409 if too many runs go on, or one uses the same lane. `pathOf`: where a run is, for the error. */
  start(run: ServerRun, { runs: most, kept }: RunBounds, pathOf: (run: ServerRun) => string): void {
    const open = this.#runs.filter(({ isOver }) => !isOver)
    // A run that waits for its person sends nothing meanwhile.
    const own = open.find(({ caller, state }) => caller === run.caller && state === 'running')
    if (own !== undefined || open.length >= most)
      throw new HttpError(409, {
        error: 'run_in_progress',
        details: own === undefined ? `expected at most ${most} runs at a time` : 'one run at a time in each session',
        url: pathOf(own ?? open[0]!),
      })
    for (const lane of run.lanes) {
      const other = open.find(({ lanes }) => lanes.includes(lane))
      if (other === undefined) continue
      throw new HttpError(409, {
        error: 'lane_in_use',
        details: `another run uses the lane ${lane}`,
        lane,
        url: pathOf(other),
      })
    }
    this.#runs.push(run)
    while (this.#runs.length > kept) {
      const oldest = this.#runs.findIndex(({ isOver }) => isOver)
      if (oldest === -1) break
      this.#runs.splice(oldest, 1)
    }
    void run.start()
  }

  memoryUse(): MemoryUse {
    return {
      entries: this.#runs.length,
      bytes: this.#runs.reduce((sum, { events }) => sum + events.length * EVENT_BYTES, 0),
    }
  }

  remove(run: ServerRun): void {
    run.stop()
    const at = this.#runs.indexOf(run)
    if (at !== -1) this.#runs.splice(at, 1)
  }

  close(): void {
    for (const run of this.#runs) run.stop()
  }
}
