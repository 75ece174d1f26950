/** Owns running an agent: applies its steps to the task, each after its delay. */
import { type Logger, StateUnavailable } from 'svc/plugin'
import { isTaskNotFound } from './errors.ts'
import type { LocalRun, LocalRuns } from './local-runs.ts'
import type { RunSlots } from './run-slots.ts'
import { sleep } from './sleep.ts'
import { isTerminalOrInterrupted } from './states.ts'
import { applyEvent, artifactEvent, statusEvent, taskBytes } from './task.ts'
import type { TaskEvent } from './task.ts'
import type { TaskStore } from './task-store.ts'
import type { Step, TaskState } from './types.ts'
import type { UnstoredRuns } from './unstored-runs.ts'

/** Approximate memory of a running agent: its context, its plan and its abort controller. */
export const WORK_BYTES = 4096

/** How often a run that waits for the state store tries again, in milliseconds. */
const STORE_RETRY_MS = 250

type Steps = Iterable<Step> | AsyncIterable<Step>

/** The run was ended by someone else, for example canceled. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded'

  constructor() {
    super('the run has ended')
  }
}

export interface RunnerParts {
  readonly tasks: TaskStore
  readonly local: LocalRuns
  readonly slots: RunSlots
  readonly unstored: UnstoredRuns
  /** How long a run waits at its step for a state store that is unavailable, in milliseconds. */
  readonly storeWaitMs: number
  /** Memory of one task. Above it the run fails. */
  readonly maxTaskBytes: number
  readonly log: Logger
}

export class Runner {
  readonly #parts: RunnerParts

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** Starts the steps. They end with a terminal or interrupted state, or when the task is canceled or evicted. */
  start(run: LocalRun, steps: Steps): void {
    const { tasks, local, slots, unstored, log } = this.#parts
    local.set(run)
    // Agents that never wait need not know that their task was evicted: their next step notices.
    const isWaiting = !Array.isArray(steps) || steps.some(({ afterMs = 0 }: Step) => afterMs > 0)
    const unfollow = isWaiting ? tasks.follow(run.task, { update: () => {}, closed: () => run.abort() }) : null
    const end = async (): Promise<void> => {
      local.delete(run)
      await slots.release(run.id)
    }
    const release = (): void =>
      void end().catch((error: unknown) => {
        if (error instanceof StateUnavailable) unstored.add(run.id, run.task.id)
        else log.warn('the slot of an A2A agent was not released', { error })
      })
    // Frees the slot even if the agent ignores the signal.
    run.onAbort = release
    void this.#work(run, steps)
      .catch(async (error: unknown) => {
        if (run.isAborted || error instanceof RunEnded) return
        if (error instanceof StateUnavailable) {
          log.warn('an A2A agent stopped, because the state store is unavailable', { agent: run.task.agent })
          return unstored.add(run.id, run.task.id)
        }
        log.error('an A2A agent failed', { agent: run.task.agent, error })
        await this.#enter(run, 'FAILED', 'The agent failed unexpectedly.')
      })
      .catch((error: unknown) => {
        if (!(error instanceof RunEnded)) log.error('an A2A task could not be stored', { error })
      })
      .finally(() => {
        unfollow?.()
        if (!run.isAborted) release()
        run.onAbort = null
      })
  }

  async #work(run: LocalRun, steps: Steps): Promise<void> {
    for await (const step of steps) {
      await pause(step.afterMs ?? 0, run)
      if (run.isAborted) return
      if (taskBytes(run.task) > this.#parts.maxTaskBytes)
        return this.#enter(run, 'FAILED', 'The task has reached its memory limit.')
      if ('artifact' in step) {
        const { artifact, append = false, lastChunk = !append } = step
        await this.#commit(run, artifactEvent(run.task, { artifact, append, lastChunk }, this.#parts.tasks.nextRank()))
      } else {
        await this.#enter(run, step.state, step.text)
        if (isTerminalOrInterrupted(step.state)) return
      }
    }
    if (!run.isAborted && !run.isEndless) await this.#enter(run, 'COMPLETED', 'Done.')
  }

  #enter(run: LocalRun, state: TaskState, text: string): Promise<void> {
    // Before the change: a subscriber may send a follow-up as soon as it receives the state.
    if (isTerminalOrInterrupted(state)) this.#parts.local.delete(run)
    return this.#commit(run, statusEvent(run.task, state, text, this.#parts.tasks.nextRank()))
  }

  /** Waits for the state store, if it is unavailable. */
  async #commit(run: LocalRun, event: TaskEvent): Promise<void> {
    const endsAt = performance.now() + this.#parts.storeWaitMs
    for (let isRetry = false; ; isRetry = true) {
      try {
        // A change that had no answer may have been made.
        const stored = isRetry ? await this.#parts.tasks.afterUpdate(run.task.id, event) : undefined
        if (stored) run.task = stored
        else await this.#store(run, event)
        return
      } catch (error) {
        if (!(error instanceof StateUnavailable) || performance.now() > endsAt) throw error
        await sleep(STORE_RETRY_MS, run.signal)
        if (run.isAborted) throw new RunEnded()
      }
    }
  }

  async #store(run: LocalRun, event: TaskEvent): Promise<void> {
    try {
      run.task = await this.#parts.tasks.change(
        run.task.id,
        task => {
          if (task.run?.id !== run.id) throw new RunEnded()
          return applyEvent(task, event)
        },
        event,
      )
    } catch (error) {
      throw isTaskNotFound(error) ? new RunEnded() : error
    }
  }
}

/** Waits at least one turn of the event loop. */
function pause(ms: number, run: LocalRun): Promise<void> {
  if (ms > 0 && !run.isAborted) return sleep(ms, run.signal)
  return new Promise(resolve => void setImmediate(resolve))
}
