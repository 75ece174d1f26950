/** The runs of the server: one at a time, and the newest that have ended. */
import type { MeasuresMemory, MemoryUse } from 'svc/plugin'
import type { ServerRun } from './server-run.ts'

const MAX_RUNS = 20
/** Characters of all reports; older ones lose their evidence. */
const MAX_REPORTS = 24 * 1024 * 1024

export class ServerRuns implements MeasuresMemory {
  /** Oldest first. */
  readonly #runs: ServerRun[] = []

  get newestFirst(): ServerRun[] {
    return this.#runs.toReversed()
  }
  get running(): ServerRun | undefined {
    return this.#runs.find(({ isOver }) => !isOver)
  }

  find(id: string): ServerRun | undefined {
    return this.#runs.find(run => run.id === id)
  }

  start(run: ServerRun): void {
    this.#runs.push(run)
    while (this.#runs.length > MAX_RUNS) this.#runs.shift()
    void run.start().then(() => this.#trim())
  }

  /** Two bytes for a character. */
  memoryUse(): MemoryUse {
    return { entries: this.#runs.length, bytes: this.#runs.reduce((sum, run) => sum + 2 * run.size, 0) }
  }

  remove(run: ServerRun): void {
    run.stop()
    const at = this.#runs.indexOf(run)
    if (at !== -1) this.#runs.splice(at, 1)
  }

  #trim(): void {
    let size = this.#runs.reduce((sum, run) => sum + run.size, 0)
    for (const run of this.#runs) {
      if (size <= MAX_REPORTS) return
      size -= run.size
      run.dropEvidence()
      size += run.size
    }
  }

  close(): void {
    for (const run of this.#runs) run.stop()
  }
}
