/** Owns ending the runs that stopped, or may have begun, when the state store was unavailable: their tasks fail when it is back. */
import { type Logger, StateUnavailable } from 'svc/plugin'
import { fail } from './lost-runs.ts'
import type { RunSlots } from './run-slots.ts'
import type { TaskStore } from './task-store.ts'

const RETRY_MS = 1000
/** More runs than this cannot wait for the store: requests that find it unavailable do not begin one. */
const MAX_RUNS = 10_000
const TEXT = 'The state store was unavailable for too long.'

export class UnstoredRuns {
  readonly #tasks: TaskStore
  readonly #slots: RunSlots
  readonly #log: Logger
  /** Task by run. */
  readonly #runs = new Map<string, string>()
  #timer: NodeJS.Timeout | null = null

  constructor(parts: { tasks: TaskStore; slots: RunSlots; log: Logger }) {
    this.#tasks = parts.tasks
    this.#slots = parts.slots
    this.#log = parts.log
  }

  add(runId: string, taskId: string): void {
    if (this.#runs.size >= MAX_RUNS) return
    this.#runs.set(runId, taskId)
    this.#timer ??= setInterval(() => void this.#retry(), RETRY_MS).unref()
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#runs.clear()
  }

  async #retry(): Promise<void> {
    for (const [runId, taskId] of this.#runs) {
      try {
        await fail(this.#tasks, taskId, runId, TEXT)
        await this.#slots.release(runId)
      } catch (error) {
        if (error instanceof StateUnavailable) return
        this.#log.error('an A2A task was not ended', { error })
      }
      this.#runs.delete(runId)
    }
    if (this.#runs.size === 0) this.close()
  }
}
