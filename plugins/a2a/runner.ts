/** Owns running an agent: applies its steps to the task, each after its delay. */
import type { Logger } from 'svc/plugin'
import { sleep } from './sleep.ts'
import { isTerminalOrInterrupted } from './states.ts'
import type { Task } from './task.ts'
import type { TaskStore } from './task-store.ts'
import type { Step } from './types.ts'

/** Approximate memory of a running agent: its context, its plan and its abort controller. */
const WORK_BYTES = 4096

export interface Work {
  steps: Iterable<Step> | AsyncIterable<Step>
  run: AbortController
  /** Memory that the agent holds in addition to the task. */
  heldBytes: number
}

/** Starts the steps. They end with a terminal or interrupted state, or when the task is canceled or evicted. */
export function start(tasks: TaskStore, task: Task, { steps, run, heldBytes }: Work, log: Logger): void {
  const done = tasks.acquireRunningSlot()
  const release = task.reserve(WORK_BYTES + heldBytes)
  task.run = run
  // Frees the slot even if the agent ignores the signal.
  run.signal.addEventListener('abort', done)
  void work(tasks, task, steps, run.signal)
    .catch((error: unknown) => {
      log.error('an A2A agent failed', { agent: task.agent, error })
      if (!run.signal.aborted) enter(tasks, task, 'FAILED', 'The agent failed unexpectedly.')
    })
    .finally(() => {
      if (task.run === run) task.run = null
      done()
      release()
    })
}

/** Cancels a task that is not in a terminal state. */
export function cancel(tasks: TaskStore, task: Task): void {
  task.run?.abort()
  task.run = null
  enter(tasks, task, 'CANCELED', 'The task was cancelled by the client.')
}

async function work(
  tasks: TaskStore,
  task: Task,
  steps: Iterable<Step> | AsyncIterable<Step>,
  signal: AbortSignal,
): Promise<void> {
  for await (const step of steps) {
    await pause(step.afterMs ?? 0, signal)
    if (signal.aborted) return
    if (tasks.isFull(task)) return enter(tasks, task, 'FAILED', 'The task has reached its memory limit.')
    if ('artifact' in step)
      task.addArtifact(step.artifact, step.append === true, step.lastChunk ?? step.append !== true)
    else {
      // A subscriber may send a follow-up as soon as it receives the state.
      if (isTerminalOrInterrupted(step.state)) task.run = null
      enter(tasks, task, step.state, step.text)
      if (isTerminalOrInterrupted(step.state)) return
    }
  }
  if (!signal.aborted) enter(tasks, task, 'COMPLETED', 'Done.')
}

function enter(tasks: TaskStore, task: Task, ...status: Parameters<Task['setStatus']>): void {
  tasks.rankFirst(task)
  task.setStatus(...status)
}

/** Waits at least one turn of the event loop. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0 && !signal.aborted) return sleep(ms, signal)
  return new Promise(resolve => void setImmediate(resolve))
}
