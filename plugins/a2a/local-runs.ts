/** The agents that this replica runs, by task. */
import type { Task } from './task.ts'

export interface LocalRun {
  readonly id: string
  readonly controller: AbortController
  /** The newest state of the task that this replica has seen. */
  task: Task
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
