/** The data of a task, which all replicas share, and its form in messages. */
import type { EventLog, Store, Svc } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'
import type { JsonObject } from '../types.ts'
import type { InputRequest } from '../protocol/spec.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export interface TaskError {
  code: number
  message: string
  data?: unknown
}

export interface TaskRecord {
  server: string
  /** Who may use the task. */
  principal: string
  /** The replica that runs it. */
  replica: string
  status: TaskStatus
  statusMessage: string | null
  /** Number of changes of the record. */
  revision: number
  /** Milliseconds since 1970. */
  createdAt: number
  lastUpdatedAt: number
  ttlMs: number
  /** The questions still open. */
  questions: Record<string, InputRequest>
  /** Set when the task is completed. */
  result: JsonObject | null
  /** Set when the task has failed. */
  error: TaskError | null
}

/** A change of a task, for those who follow it. The result is only in the record. */
export type TaskUpdate = Omit<TaskRecord, 'result'>

export const POLL_INTERVAL_MS = 500
/** Time for the last update to reach those who follow a task. */
const GRACE_MS = 5000

export function isTerminal({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** The members that every message about a task has. */
export function taskMembers(id: string, record: TaskUpdate): JsonObject {
  return {
    taskId: id,
    status: record.status,
    statusMessage: record.statusMessage ?? undefined,
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.lastUpdatedAt).toISOString(),
    ttlMs: record.ttlMs,
    pollIntervalMs: POLL_INTERVAL_MS,
  }
}

/** With the members that depend on the status. */
export function detailedTask(id: string, record: TaskRecord): JsonObject {
  return {
    ...taskMembers(id, record),
    inputRequests: record.status === 'input_required' ? record.questions : undefined,
    result: record.status === 'completed' ? (record.result ?? {}) : undefined,
    error: record.status === 'failed' ? record.error : undefined,
  }
}

/** Opens the store of the tasks. Its keys are the task ids, its groups the principals. */
export function openTaskStore(svc: Pick<Svc, 'state'>, bounds: Bounds): Store<TaskRecord> {
  return svc.state<TaskRecord>('tasks', {
    maxCount: bounds.tasks,
    maxPerGroup: bounds.tasksPerPrincipal,
    maxBytes: bounds.taskBytes,
    ttlMs: bounds.taskLifeMs + GRACE_MS,
    secret: true,
  })
}

/** Opens the log of the changes. Its streams are the tasks. */
export function openTaskUpdates(
  svc: Pick<Svc, 'eventLog'>,
  bounds: Bounds,
  tasks: Store<TaskRecord>,
): EventLog<TaskUpdate> {
  return svc.eventLog<TaskUpdate>('task-updates', { of: tasks, maxPerStream: 64, maxBytes: bounds.taskBytes })
}
