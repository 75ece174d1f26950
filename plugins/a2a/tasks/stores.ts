/** Opens the stores of tasks. Replicas that share a state store share them. */
import type { EventLog, Store, Svc } from 'svc/plugin'
import { type Bounds, MAX_KEPT_UPDATES } from '../bounds.ts'
import { type Task, type TaskEvent, taskBytes } from './task.ts'

/** An entry of the list of running agents, by run id. */
export interface RunEntry {
  task: string
  replica: string
}

export interface TaskStores {
  readonly tasks: Store<Task>
  readonly updates: EventLog<TaskEvent>
  /** Number of tasks created in each context. */
  readonly contexts: Store<number>
  readonly runs: Store<RunEntry>
}

/** Memory of the store for an entry: its key, its group and its links. */
const ENTRY_BYTES = 2048

export function openTaskStores(svc: Pick<Svc, 'state' | 'eventLog'>, bounds: Bounds): TaskStores {
  // Updates share most of their memory with the task, but a task may have replaced what they contain.
  const logBytes = bounds.taskBytes / 4
  const storeBytes = bounds.taskBytes - logBytes
  const tasks = svc.state<Task>('tasks', {
    maxCount: bounds.tasks,
    maxPerGroup: bounds.tasksPerSession,
    maxBytes: storeBytes,
    // One task is always kept, even if it exceeds the limit.
    sizeOf: task => Math.min(taskBytes(task), storeBytes - ENTRY_BYTES),
    ttlMs: bounds.taskIdleMs,
    ttlFrom: 'use',
    // Push configs contain credentials.
    secret: true,
  })
  return {
    tasks,
    updates: svc.eventLog<TaskEvent>('updates', {
      of: tasks as Store<unknown>,
      maxPerStream: MAX_KEPT_UPDATES,
      maxBytes: logBytes,
      sizeOf: event => event.bytes,
    }),
    contexts: svc.state<number>('contexts', {
      maxCount: bounds.tasks,
      maxPerGroup: bounds.tasksPerSession,
      ttlMs: bounds.taskIdleMs,
      ttlFrom: 'use',
    }),
    runs: svc.state<RunEntry>('runs', { maxCount: 2 * bounds.runningTasks }),
  }
}
