/** The agents that this replica runs, by task. */
import type { Task } from './task.ts'

export class LocalRun {
  readonly id: string
  /** The newest state of the task that this replica has seen. */
  task: Task
  isAborted = false
  /** The task keeps its state after the last step, and nobody works on it. */
  isEndless = false
  /** Called once when the run is aborted. */
  onAbort: (() => void) | null = null
  #controller: AbortController | null = null

  constructor(id: string, task: Task) {
    this.id = id
    this.task = task
  }

  /** Created on first use, because most agents never read it and creating it is slow. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.isAborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    if (this.isAborted) return
    this.isAborted = true
    this.#controller?.abort()
    this.onAbort?.()
  }
}

export class LocalRuns {
  readonly #runs = new Map<string, LocalRun>()

  get(taskId: string): LocalRun | undefined {
    return this.#runs.get(taskId)
  }

  all(): LocalRun[] {
    return [...this.#runs.values()]
  }

  set(run: LocalRun): void {
    this.#runs.set(run.task.id, run)
  }

  /** Removes this run, but not one that replaced it. */
  delete(run: LocalRun): void {
    if (this.#runs.get(run.task.id) === run) this.#runs.delete(run.task.id)
  }

  /** Notes a newer state of a task. */
  update(task: Task): void {
    const run = this.#runs.get(task.id)
    if (run && run.task.updates <= task.updates) run.task = task
  }
}
