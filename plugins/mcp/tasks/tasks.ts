/** Owns the tasks: those of all replicas in the store, and those that run in this process. */
import { type Channel, type EventLog, type Store, type SvcReplicas } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { CODES, invalidParams, RpcError } from '../errors.ts'
import type { JsonObject } from '../types.ts'
import { RunningTask } from './running-task.ts'
import { detailedTask, isTerminal, type TaskRecord, type TaskUpdate } from './task-record.ts'

/** A message to the replica that runs a task. */
export type TaskMessage = { kind: 'answered'; id: string; responses: JsonObject } | { kind: 'canceled'; id: string }

/** Who may use a task, and where. */
export interface TaskOwner {
  server: string
  principal: string
}

export interface TasksOptions {
  store: Store<TaskRecord>
  updates: EventLog<TaskUpdate>
  replicas: SvcReplicas
  bounds: Bounds
}

/** Pause before the end of a task is stored again. */
const RETRY_MS = 500

export class Tasks {
  readonly #options: TasksOptions
  readonly #running = new Map<string, RunningTask>()
  readonly #stopWatching: () => void
  #channel: Channel<TaskMessage, void> | null = null

  constructor(options: TasksOptions) {
    this.#options = options
    this.#stopWatching = options.replicas.onGone(replica => {
      if (options.replicas.isLeader()) void this.#failTasksOf(replica).catch(() => {})
    })
  }

  /** Sets the channel to the replicas, which includes this one. Each generation of the plugin has its own. */
  connect(channel: Channel<TaskMessage, void>): void {
    this.#channel = channel
  }

  /** Handles a message of a replica. */
  receive(message: TaskMessage): void {
    const task = this.#running.get(message.id)
    if (message.kind === 'answered') task?.answer(message.responses)
    else task?.cancel()
  }

  /** Removes all tasks, which belong to no session; returns their number. Those that run here go on, but nobody can find them any more. */
  clear(): Promise<number> {
    return this.#options.store.clear()
  }

  /** Prepares a task, which nobody knows until it is published. Throws -32603 if there are too many. */
  async open(owner: TaskOwner): Promise<RunningTask> {
    const { store, bounds, replicas } = this.#options
    const group = owner.principal
    if (
      this.#running.size >= bounds.tasksRunning ||
      (await isFull(store, bounds.tasksPerPrincipal, { group })) ||
      (await isFull(store, bounds.tasks))
    )
      throw new RpcError(CODES.internal, 'too many tasks')
    const task = new RunningTask(
      { ...owner, replica: replicas.self, ttlMs: bounds.taskLifeMs },
      { questions: bounds.taskQuestions, resultLength: bounds.taskResultBytes },
    )
    this.#running.set(task.id, task)
    void task.over.then(() => this.#running.delete(task.id))
    return task
  }

  /** Stores the task, so that it can be found before the client has its id. Later changes are stored in order. */
  async publish(task: RunningTask): Promise<void> {
    const { store } = this.#options
    let saving: Promise<unknown> = store.set(task.id, task.record, {
      group: task.record.principal,
      spare: isTerminal(task.record),
    })
    const stored = saving
    task.publish(({ record }) => {
      saving = saving.then(
        () => this.#save(task, record),
        () => {},
      )
    })
    await stored
  }

  /** Stores a change. The last one is stored when the store is back, if that is in the life of the task. */
  async #save(task: RunningTask, record: TaskRecord): Promise<void> {
    const { store, updates } = this.#options
    const { result: _, ...update } = record
    while (true) {
      try {
        // Another replica has ended the task if this one seemed to be gone.
        const found = await store.update(task.id, current => (current && !isTerminal(current) ? record : current), {
          spare: isTerminal(record),
        })
        if (found === undefined || (isTerminal(found) && !isTerminal(record))) task.cancel()
        else await updates.append(task.id, update)
        return
      } catch {
        if (!isTerminal(record) || Date.now() >= record.createdAt + record.ttlMs) return
        await new Promise(resolve => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }

  /** The record of a task that this caller may use. Throws -32602 for others, without revealing whether they exist. */
  async find(id: unknown, owner: TaskOwner): Promise<{ id: string; record: TaskRecord }> {
    if (typeof id !== 'string') throw invalidParams('"taskId" must be a string')
    const found = await this.#find(id, owner)
    if (!found) throw invalidParams('Unknown task', { taskId: id.slice(0, 200) })
    return { id, record: found }
  }

  /** Those of the ids that this caller may use. */
  async known(ids: readonly string[], owner: TaskOwner): Promise<string[]> {
    const found = await Promise.all(ids.map(id => this.#find(id, owner)))
    return ids.filter((_, index) => found[index] !== undefined)
  }

  /** Passes answers to the replica that runs the task. */
  async answer(id: string, record: TaskRecord, responses: unknown): Promise<void> {
    if (!isRecord(responses)) throw invalidParams('"inputResponses" must be an object')
    await this.#tell(record, { kind: 'answered', id, responses })
  }

  async cancel(id: string, record: TaskRecord): Promise<void> {
    await this.#tell(record, { kind: 'canceled', id })
  }

  /** Calls `on` with every change of a task, in order, beginning with its present state. Returns a function that stops. */
  follow(id: string, on: (task: JsonObject) => void): () => void {
    const { store, updates } = this.#options
    let isStopped = false
    let shown = -1
    let order: Promise<void> = Promise.resolve()
    const show = (update: TaskUpdate | null): void => {
      order = order
        .then(async () => {
          if (isStopped || (update !== null && update.revision <= shown)) return
          // Only the record has the result.
          const record = update === null || isTerminal(update) ? await store.peek(id) : { ...update, result: null }
          if (record === undefined || isStopped) return
          shown = record.revision
          on(detailedTask(id, record))
          if (isTerminal(record)) stop()
        })
        .catch(() => {})
    }
    // Followed first, so that no change is missed between the present state and the next one.
    const stopFollowing = updates.follow(
      id,
      null,
      (_, update) => show(update),
      () => {},
    )
    const stop = (): void => {
      isStopped = true
      stopFollowing()
    }
    show(null)
    return stop
  }

  /** Cancels what runs in this process. */
  close(): void {
    this.#stopWatching()
    for (const task of this.#running.values()) task.cancel()
  }

  async #find(id: string, { server, principal }: TaskOwner): Promise<TaskRecord | undefined> {
    const record = await this.#options.store.peek(id)
    if (record === undefined || record.server !== server || record.principal !== principal) return undefined
    if (Date.now() >= record.createdAt + record.ttlMs) return undefined
    return this.#isAbandoned(record) ? this.#fail(id) : record
  }

  async #tell(record: TaskRecord, message: TaskMessage): Promise<void> {
    if (!this.#channel) throw new Error('the tasks have no channel yet')
    if (isTerminal(record)) return
    // A replica that is gone has no task any more; the next look at the task reports it.
    await this.#channel.ask(record.replica, message).catch(() => {})
  }

  #isAbandoned(record: TaskRecord): boolean {
    return !isTerminal(record) && !this.#options.replicas.list().some(({ replica }) => replica === record.replica)
  }

  async #failTasksOf(replica: string): Promise<void> {
    const { store } = this.#options
    const left = await store.list({ where: record => record.replica === replica && !isTerminal(record) })
    for (const { key } of left) await this.#fail(key)
  }

  async #fail(id: string): Promise<TaskRecord | undefined> {
    const { store, updates } = this.#options
    const lastUpdatedAt = Date.now()
    const error = { code: CODES.internal, message: 'the instance that ran the task is gone' }
    const failed = await store.update(
      id,
      current =>
        current && !isTerminal(current)
          ? { ...current, status: 'failed', questions: {}, error, revision: current.revision + 1, lastUpdatedAt }
          : current,
      { spare: true },
    )
    if (failed) {
      const { result: _, ...update } = failed
      await updates.append(id, update)
    }
    return failed
  }
}

/** Whether a new entry would evict a task that still runs. Finished ones come first in the list. */
async function isFull(store: Store<TaskRecord>, max: number, of: { group?: string } = {}): Promise<boolean> {
  if ((await store.count(of)) < max) return false
  const [first] = await store.list({ ...of, limit: 1 })
  return first !== undefined && !isTerminal(first.value)
}
