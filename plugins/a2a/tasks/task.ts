/** A task as it is stored, and how updates change it. */
import { randomUUID } from 'node:crypto'
import { heldValueBytes } from 'svc/toolkit'
import { MAX_HISTORY } from '../bounds.ts'
import type { TaskFault } from './task-faults.ts'
import type { PushConfig, PushTarget } from '../protocol/push-config.ts'
import { isTerminalOrInterrupted } from '../protocol/states.ts'
import type { Artifact, Message, TaskState, TaskStatus } from '../types.ts'

/** A push config with the target that was decided when it was created. */
export interface StoredConfig extends PushConfig {
  readonly target: PushTarget
}

/** An agent at work on a task. Only the replica that runs it changes the task. */
export interface TaskRun {
  readonly id: string
  readonly replica: string
  /** ISO 8601. */
  readonly since: string
  /** Memory that the agent holds in addition to the task. */
  readonly bytes: number
}

/** Plain JSON. Never changed: an update makes a new record. */
export interface Task {
  readonly id: string
  readonly contextId: string
  readonly agent: string
  /** The session, with the tenant if there is one. */
  readonly session: string
  /** Number of this task in its context, from 1. */
  readonly turn: number
  readonly status: TaskStatus
  readonly artifacts: readonly Artifact[]
  readonly history: readonly Message[]
  readonly configs: readonly StoredConfig[]
  readonly run: TaskRun | null
  /** Number of updates so far: the number of the last one in the log. */
  readonly updates: number
  /** Position in the order of status changes of all tasks; higher is more recent. */
  readonly rank: number
  /** Approximate memory. Parts that an agent returns are counted again, because it may have changed them. */
  readonly bytes: number
  /** Faults that stay with the task. */
  readonly faults?: readonly TaskFault[]
  /** Reads so far, if a fault counts them. */
  readonly reads?: number
  /** Index in the history for the status message when the next status replaces it. */
  readonly statusPlace: number
}

/** A change, as reported to streams and push targets; `isFinal`: the state is terminal or interrupted. */
export type Update =
  | { kind: 'status'; status: TaskStatus; isFinal: boolean }
  | { kind: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }

/** An update as logged, with its memory. A message of the user is not reported to streams. */
export type TaskEvent = (Update | { kind: 'message'; message: Message }) & {
  readonly bytes: number
  readonly rank: number
}

/** Approximate memory of an empty task: the record, its status, its stream of updates and its entries in the store. */
const TASK_BYTES = 3072
/** Approximate memory of a push config: its queue and its headers. */
const CONFIG_BYTES = 2048

export type NewTask = Pick<Task, 'contextId' | 'agent' | 'session' | 'turn' | 'rank'> & { id?: string }

export function createTask({ id = randomUUID(), contextId, agent, session, turn, rank }: NewTask): Task {
  return {
    id,
    contextId,
    agent,
    session,
    turn,
    status: { state: 'SUBMITTED', timestamp: new Date().toISOString() },
    artifacts: [],
    history: [],
    configs: [],
    run: null,
    updates: 0,
    rank,
    bytes: TASK_BYTES,
    statusPlace: 0,
  }
}

/** Memory of a task, with what its running agent holds. */
export function taskBytes({ bytes, run }: Task): number {
  return bytes + (run?.bytes ?? 0)
}

/** A new state with a text of the agent. */
export function statusEvent(
  { id, contextId }: Pick<Task, 'id' | 'contextId'>,
  state: TaskState,
  text: string,
  rank: number,
): TaskEvent {
  const message: Message = { messageId: randomUUID(), contextId, taskId: id, role: 'agent', parts: [{ text }] }
  const status = { state, message, timestamp: new Date().toISOString() }
  return { kind: 'status', status, isFinal: isTerminalOrInterrupted(state), bytes: heldValueBytes(message), rank }
}

/** A new artifact, or one that replaces or extends the one with the same id. */
export function artifactEvent(
  task: Task,
  { artifact, append, lastChunk }: { artifact: Artifact; append: boolean; lastChunk: boolean },
  rank: number,
): TaskEvent {
  const isKnown = task.artifacts.some(known => known.artifactId === artifact.artifactId)
  return {
    kind: 'artifact',
    artifact,
    append: append && isKnown,
    lastChunk,
    bytes: heldValueBytes(artifact),
    rank,
  }
}

/** A message of the user. */
export function messageEvent(message: Message, rank: number): TaskEvent {
  return { kind: 'message', message, bytes: heldValueBytes(message), rank }
}

/** The task after an update. A terminal or interrupted state ends the run. */
export function applyEvent(task: Task, event: TaskEvent): Task {
  const next: Mutable<Task> = { ...task }
  next.updates += 1
  next.bytes += event.bytes
  switch (event.kind) {
    case 'message':
      next.history = [...task.history, event.message]
      break
    case 'status':
      if (task.status.message) next.history = task.history.toSpliced(task.statusPlace, 0, task.status.message)
      next.statusPlace = next.history.length
      next.status = event.status
      next.rank = event.rank
      if (event.isFinal) next.run = null
      break
    case 'artifact':
      addArtifact(next, event)
  }
  trimHistory(next)
  return next
}

/** The task after each of several updates. */
export function statesAfter(task: Task, events: readonly TaskEvent[]): Task[] {
  const states: Task[] = []
  for (const event of events) states.push(applyEvent(states.at(-1) ?? task, event))
  return states
}

/** Whether the update ends the run. */
export function endsRun(event: TaskEvent | undefined): boolean {
  return event?.kind === 'status' && event.isFinal
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function addArtifact(task: Mutable<Task>, { artifact, append }: { artifact: Artifact; append: boolean }): void {
  const place = task.artifacts.findIndex(known => known.artifactId === artifact.artifactId)
  const known = task.artifacts[place]
  if (!known) {
    task.artifacts = [...task.artifacts, artifact]
    return
  }
  const extended = { ...known, parts: [...known.parts, ...artifact.parts] }
  task.artifacts = task.artifacts.with(place, append ? extended : artifact)
  if (!append) task.bytes -= heldValueBytes(known)
}

/** Drops the oldest messages over the limit. */
function trimHistory(task: Mutable<Task>): void {
  const excess = task.history.length - MAX_HISTORY
  if (excess <= 0) return
  for (const message of task.history.slice(0, excess)) task.bytes -= heldValueBytes(message)
  task.history = task.history.slice(excess)
  task.statusPlace = Math.max(0, task.statusPlace - excess)
}

/** The task with a push config, which replaces one with the same id. */
export function withConfig(task: Task, config: StoredConfig): Task {
  const without = withoutConfig(task, config.id)
  return { ...without, configs: [...without.configs, config], bytes: without.bytes + configBytes(config) }
}

export function withoutConfig(task: Task, configId: string): Task {
  const removed = task.configs.find(({ id }) => id === configId)
  if (!removed) return task
  return {
    ...task,
    configs: task.configs.filter(config => config !== removed),
    bytes: task.bytes - configBytes(removed),
  }
}

/** Counts the texts twice, because the headers hold them again. */
function configBytes(config: StoredConfig): number {
  return CONFIG_BYTES + 2 * heldValueBytes(config)
}
