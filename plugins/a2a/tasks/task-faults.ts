/** Faults that stay with a task: how they change what callers see of it. */
import type { Task } from './task.ts'
import type { Artifact } from '../types.ts'
import { isTerminal } from '../protocol/states.ts'
import { isPushKind, type PushKind, type TaskKind } from '../protocol/fault-kinds.ts'

/** A fault of a task. */
export interface TaskFault {
  readonly kind: TaskKind
  /** The number of reads or deliveries. */
  readonly amount: number
}

/** The task with a fault, which replaces one of the same kind. */
export function withFault(task: Task, { kind, amount }: TaskFault): Task {
  return { ...task, faults: [...(task.faults ?? []).filter(fault => fault.kind !== kind), { kind, amount }] }
}

/** Whether reads of the task have to be counted. */
export function countsReads(task: Task): boolean {
  return faultOf(task, 'vanish') !== undefined || faultOf(task, 'flap') !== undefined
}

export function withRead(task: Task): Task {
  return { ...task, reads: (task.reads ?? 0) + 1 }
}

/** The task has been read as often as it may be. */
export function isVanished(task: Task): boolean {
  const vanish = faultOf(task, 'vanish')
  return vanish !== undefined && (task.reads ?? 0) >= vanish.amount
}

/** The task as a read shows it: while it is not over, its state changes with every read. */
export function asRead(task: Task): Task {
  if (faultOf(task, 'flap') === undefined || isTerminal(task.status.state)) return task
  const state = (task.reads ?? 0) % 2 === 1 ? 'WORKING' : 'SUBMITTED'
  return { ...task, status: { ...task.status, state } }
}

/** The artifact that a finished task has in addition, which is not stored. */
export function hugeArtifact(task: Task, bytes: number): Artifact | null {
  if (faultOf(task, 'huge') === undefined) return null
  return { artifactId: 'huge', name: 'huge', parts: [{ text: Buffer.alloc(bytes, 'x').toString('latin1') }] }
}

/** The task with its huge artifact once it has ended. */
export function withHugeArtifact(task: Task, bytes: number): Task {
  const artifact = isTerminal(task.status.state) ? hugeArtifact(task, bytes) : null
  return artifact === null ? task : { ...task, artifacts: [...task.artifacts, artifact] }
}

/** The fault of its push notifications. */
export function pushFault({ faults = [] }: Task): (TaskFault & { kind: PushKind }) | undefined {
  return faults.find((fault): fault is TaskFault & { kind: PushKind } => isPushKind(fault.kind))
}

export function faultOf({ faults = [] }: Pick<Task, 'faults'>, kind: TaskKind): TaskFault | undefined {
  return faults.find(fault => fault.kind === kind)
}
