/** Owns failing the tasks whose agent has ended with its replica. */
import type { Logger, SvcReplicas } from 'svc/plugin'
import { isTaskNotFound } from '../protocol/errors.ts'
import type { LocalRuns } from './local-runs.ts'
import { RunEnded } from './runner.ts'
import type { RunSlots } from './run-slots.ts'
import { applyEvent, statusEvent } from './task.ts'
import type { TaskStore } from './task-store.ts'

const TEXT = 'The replica that worked on this task is gone.'

export interface LostRunsParts {
  readonly tasks: TaskStore
  readonly slots: RunSlots
  readonly replicas: Pick<SvcReplicas, 'list' | 'isLeader'>
  readonly log: Logger
}

/** Fails the tasks of replicas that are gone. Only the leader does so. */
export async function failLostRuns({ tasks, slots, replicas, log }: LostRunsParts): Promise<void> {
  if (!replicas.isLeader()) return
  const living = new Set(replicas.list().map(({ replica }) => replica))
  for (const { runId, task } of await slots.lostTo(living)) {
    try {
      await fail(tasks, task, runId, TEXT)
      await slots.release(runId)
    } catch (error) {
      log.error('an A2A task of a lost replica was not ended', { error })
    }
  }
}

/** Fails the tasks on which this replica works, because it stops. */
export async function failOwnRuns(tasks: TaskStore, local: LocalRuns): Promise<void> {
  await Promise.all(
    local.all().map(async run => {
      await fail(tasks, run.task.id, run.id, TEXT)
      run.abort()
    }),
  )
}

/** Ends a run and its task. Does nothing if the run has ended. */
export async function fail(tasks: TaskStore, taskId: string, runId: string, text: string): Promise<void> {
  const task = await tasks.peek(taskId)
  if (task?.run?.id !== runId) return
  const event = statusEvent(task, 'FAILED', text, tasks.nextRank())
  try {
    await tasks.change(
      taskId,
      current => {
        if (current.run?.id !== runId) throw new RunEnded()
        return applyEvent(current, event)
      },
      event,
    )
  } catch (error) {
    if (!(error instanceof RunEnded) && !isTaskNotFound(error)) throw error
  }
}
