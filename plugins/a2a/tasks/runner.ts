/** Owns running an agent: applies its steps to the task, each after its delay. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Logger, StateUnavailable } from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import { isTaskNotFound } from '../protocol/errors.ts'
import type { LocalRun, LocalRuns } from './local-runs.ts'
import type { RunSlots } from './run-slots.ts'
import { batchesOf, type Batch, isDelayed, type Steps } from './step-batches.ts'
import { applyEvent, artifactEvent, endsRun, statusEvent, taskBytes, type Task, type TaskEvent } from './task.ts'
import type { TaskStore } from './task-store.ts'
import type { Step } from '../types.ts'
import type { UnstoredRuns } from './unstored-runs.ts'

/** Approximate memory of a running agent: its context, its plan and its abort controller. */
export const WORK_BYTES = 4096

/** How often a run that waits for the state store tries again, in milliseconds. */
const STORE_RETRY_MS = 250

type StateStep = Extract<Step, { text: string }>

const DONE: StateStep = { state: 'COMPLETED', text: 'Done.' }
const FAILURE: StateStep = { state: 'FAILED', text: 'The agent failed unexpectedly.' }
const TOO_LARGE: StateStep = { state: 'FAILED', text: 'The task has reached its memory limit.' }

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
  /** The logger of the plugin of an agent. */
  readonly logOf: (agent: string) => Logger
}

export class Runner {
  readonly #parts: RunnerParts

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** The updates that the agent makes without waiting, and the steps that remain; null if there are none. */
  takeFirst(run: LocalRun, steps: Steps): { events: TaskEvent[]; rest: Steps | null } {
    if (!Array.isArray(steps) || isDelayed(steps[0])) return { events: [], rest: steps }
    const [batch] = batchesOf(steps) as Iterable<Batch>
    const events = this.#eventsOf(run, batch!)
    const isOver = batch!.isLast || endsRun(events.at(-1))
    return { events, rest: isOver ? null : steps.slice(batch!.steps.length) }
  }

  /** Starts the steps. They end with a terminal or interrupted state, or when the task is canceled or evicted. */
  start(run: LocalRun, steps: Steps): void {
    const { tasks, local, slots, unstored, log, logOf } = this.#parts
    local.set(run)
    // Agents that never wait need not know that their task was evicted: their next step notices.
    const isWaiting = !Array.isArray(steps) || steps.some(isDelayed)
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
        logOf(run.task.agent).error('an A2A agent failed', { agent: run.task.agent, error })
        await this.#commit(run, [this.#stateEvent(run.task, FAILURE)])
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
    for await (const batch of batchesOf(steps)) {
      await pause(batch.steps[0]?.afterMs ?? 0, run)
      if (run.isAborted) return
      const events = this.#eventsOf(run, batch)
      await this.#commit(run, events)
      if (batch.isLast || endsRun(events.at(-1))) return
    }
    if (!run.isAborted && !run.isEndless) await this.#commit(run, [this.#stateEvent(run.task, DONE)])
  }

  /** The updates that steps make, up to one that ends the run. */
  #eventsOf(run: LocalRun, { steps, isLast }: Batch): TaskEvent[] {
    const events: TaskEvent[] = []
    let { task } = run
    const add = (event: TaskEvent): void => {
      task = applyEvent(task, event)
      events.push(event)
    }
    for (const step of steps) {
      try {
        add(this.#eventOf(task, step))
      } catch (error) {
        this.#parts.logOf(task.agent).error('an A2A agent failed', { agent: task.agent, error })
        add(this.#stateEvent(task, FAILURE))
      }
      if (endsRun(events.at(-1))) return events
    }
    if (isLast && !run.isEndless) add(this.#stateEvent(task, DONE))
    return events
  }

  #eventOf(task: Task, step: Step): TaskEvent {
    if (taskBytes(task) > this.#parts.maxTaskBytes) return this.#stateEvent(task, TOO_LARGE)
    if (!('artifact' in step)) return this.#stateEvent(task, step)
    const { artifact, append = false, lastChunk = !append } = step
    return artifactEvent(task, { artifact, append, lastChunk }, this.#parts.tasks.nextRank())
  }

  #stateEvent(task: Task, { state, text }: StateStep): TaskEvent {
    return statusEvent(task, state, text, this.#parts.tasks.nextRank())
  }

  /** Waits for the state store, if it is unavailable. */
  async #commit(run: LocalRun, events: readonly TaskEvent[]): Promise<void> {
    // Before the change: a subscriber may send a follow-up as soon as it receives the state.
    if (endsRun(events.at(-1))) this.#parts.local.delete(run)
    const endsAt = performance.now() + this.#parts.storeWaitMs
    for (let isRetry = false; ; isRetry = true) {
      try {
        // A change that had no answer may have been made.
        const stored = isRetry ? await this.#parts.tasks.afterUpdates(run.task.id, events) : undefined
        if (stored) run.task = stored
        else await this.#store(run, events)
        return
      } catch (error) {
        if (!(error instanceof StateUnavailable) || performance.now() > endsAt) throw error
        await sleep(STORE_RETRY_MS, { signal: run.signal, isBackground: true })
        if (run.isAborted) throw new RunEnded()
      }
    }
  }

  async #store(run: LocalRun, events: readonly TaskEvent[]): Promise<void> {
    try {
      run.task = await this.#parts.tasks.apply(run.task.id, events, task => {
        if (task.run?.id !== run.id) throw new RunEnded()
      })
    } catch (error) {
      throw isTaskNotFound(error) ? new RunEnded() : error
    }
  }
}

/** Waits at least one turn of the event loop. */
async function pause(ms: number, run: LocalRun): Promise<void> {
  if (ms > 0 && !run.isAborted) await sleep(ms, { signal: run.signal, isBackground: true })
  else await nextTurn()
}
