/**
 * Owns the changes of tasks that clients ask for. While an agent is at work, only the replica that runs it changes the task:
 * requests that arrive elsewhere are passed to it, so that updates and push notifications have one order.
 */
import { randomUUID } from 'node:crypto'
import { StateUnavailable, type SvcReplicas } from 'svc/plugin'
import { MAX_PUSH_CONFIGS } from '../bounds.ts'
import { A2aError, invalidParams, taskNotFound } from '../protocol/errors.ts'
import { LocalRun } from './local-runs.ts'
import { type FollowUp, IdleTask, OwnerChannel, type OwnerRequest } from './owner.ts'
import { Runner, type RunnerParts, WORK_BYTES } from './runner.ts'
import { isTerminal } from '../protocol/states.ts'
import type { Steps } from './step-batches.ts'
import {
  applyEvent,
  messageEvent,
  statusEvent,
  taskBytes,
  withConfig,
  withoutConfig,
  type StoredConfig,
  type Task,
  type TaskEvent,
  type TaskRun,
} from './task.ts'

export interface TaskServiceParts extends RunnerParts {
  readonly replicas: Pick<SvcReplicas, 'self' | 'list'>
  /** Drops the undelivered push notifications of a config in this process. */
  dropPushes(taskId: string, configId: string): void
  readonly openChannel: ConstructorParameters<typeof OwnerChannel>[1]
}

/** How an agent continues with a message. */
export interface Continuation {
  /** Memory that the agent holds in addition to the task. */
  readonly heldBytes: number
  plan(run: LocalRun): Steps
}

/** A task as it is stored first. */
export interface Begun {
  readonly task: Task
  /** What the agent has done at once: updates that no follower of the task gets. */
  readonly events: readonly TaskEvent[]
}

/** How often a follow-up is decided again because the task changed in between. */
const MAX_TRIES = 10

export class TaskService {
  readonly #parts: TaskServiceParts
  readonly #runner: Runner
  readonly #owners: OwnerChannel

  constructor(parts: TaskServiceParts) {
    this.#parts = parts
    this.#runner = new Runner(parts)
    this.#owners = new OwnerChannel(parts.replicas.self, parts.openChannel, request => this.#perform(request))
  }

  /** A run of this replica, which does not count before it begins. */
  newRun(heldBytes: number): TaskRun {
    const { self } = this.#parts.replicas
    return { id: randomUUID(), replica: self, since: new Date().toISOString(), bytes: WORK_BYTES + heldBytes }
  }

  /** The error if too many tasks are running. */
  refusal(): Promise<A2aError | null> {
    return this.#parts.slots.refusal()
  }

  /** Throws if the task exceeds its memory limit. */
  checkSize(task: Task): void {
    const { maxTaskBytes } = this.#parts
    if (taskBytes(task) <= maxTaskBytes) return
    throw new A2aError(
      'RESOURCE_EXHAUSTED',
      `the task would take more than ${Math.floor(maxTaskBytes / 2 ** 20)} MiB of memory`,
    )
  }

  /**
   * Stores a new task and starts its agent. What the agent does at once is stored with the task, so one that needs no time
   * takes no slot. Throws if too many tasks are running.
   */
  async begin(run: LocalRun, steps: Steps): Promise<Begun> {
    const { tasks } = this.#parts
    const { events, rest } = this.#runner.takeFirst(run, steps)
    if (rest === null) return { task: await tasks.add(run.task, events), events }
    return this.#inSlot(run, run.task.id, async () => {
      run.task = await tasks.add(run.task, events)
      const { task } = run
      this.#runner.start(run, rest)
      return { value: { task, events }, isStarted: true }
    })
  }

  /**
   * Adds a message to a task. If no agent is at work on it, the agent continues here. Returns the task with the message;
   * its `run` is null if the agent of another replica has finished meanwhile.
   */
  async followUp(task: Task, followUp: FollowUp, continuation: Continuation): Promise<Task> {
    let found = task
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) found = await this.#reread(task)
      checkFollowUp(found, followUp)
      const complete = { ...followUp, message: { ...followUp.message, contextId: task.contextId } }
      const outcome = await this.#owners.ask(found.run, { kind: 'message', taskId: task.id, ...complete })
      if (outcome === 'done') return this.#reread(task)
      if (outcome === 'idle') continue
      const lostRun = outcome === 'gone' ? found.run : null
      try {
        if (found.run && !lostRun) return await this.#addMessage(task.id, complete)
        return await this.#continue(task.id, complete, { ...continuation, lostRun })
      } catch (error) {
        if (!(error instanceof IdleTask)) throw error
      }
    }
    throw new StateUnavailable('contended')
  }

  /** Cancels a task. Throws if it is in a terminal state. */
  async cancel(task: Task): Promise<Task> {
    checkCancelable(task)
    return this.#atOwner(task, { kind: 'cancel', taskId: task.id })
  }

  /** Adds a push config, or replaces the one with the same id. */
  async attach(task: Task, config: StoredConfig): Promise<Task> {
    checkConfigCount(task, config.id)
    return this.#atOwner(task, { kind: 'attach', taskId: task.id, config })
  }

  /** Removes a push config and drops its undelivered notifications. */
  detach(task: Task, configId: string): Promise<Task> {
    return this.#atOwner(task, { kind: 'detach', taskId: task.id, configId })
  }

  /** Adds a message and starts the agent, unless one has been started meanwhile. */
  async #continue(
    taskId: string,
    followUp: FollowUp,
    { heldBytes, plan, lostRun }: Continuation & { lostRun: TaskRun | null },
  ): Promise<Task> {
    const own = this.newRun(heldBytes)
    return this.#inSlot(own, taskId, async () => {
      const task = await this.#addMessage(taskId, followUp, { own, lostRun })
      if (task.run?.id !== own.id) return { value: task, isStarted: false }
      const run = new LocalRun(own.id, task)
      this.#runner.start(run, plan(run))
      return { value: task, isStarted: true }
    })
  }

  /**
   * Takes the slot of a run, and releases it if the run was not started. If the state store became unavailable, the slot and a
   * task with this run may have been stored: they end when it is back.
   */
  async #inSlot<T>(
    { id }: Pick<TaskRun, 'id'>,
    task: string,
    start: () => Promise<{ value: T; isStarted: boolean }>,
  ): Promise<T> {
    const { slots, unstored, replicas } = this.#parts
    try {
      await slots.take(id, { task, replica: replicas.self })
      const { value, isStarted } = await start()
      if (!isStarted) await slots.release(id)
      return value
    } catch (error) {
      if (error instanceof StateUnavailable) unstored.add(id, task)
      else await slots.release(id)
      throw error
    }
  }

  /** `own` is the run that begins unless there is one; `lostRun` counts as none. Throws `IdleTask` if there is neither. */
  #addMessage(
    taskId: string,
    followUp: FollowUp,
    { own = null, lostRun = null }: { own?: TaskRun | null; lostRun?: TaskRun | null } = {},
  ): Promise<Task> {
    const { tasks } = this.#parts
    const event = messageEvent(followUp.message, tasks.nextRank())
    const { config } = followUp
    return tasks.change(
      taskId,
      task => {
        checkFollowUp(task, followUp)
        const run = lostRun && task.run?.id === lostRun.id ? null : task.run
        if (!run && !own) throw new IdleTask()
        const extended = applyEvent({ ...task, run }, event)
        this.checkSize(extended)
        return { ...(config ? withConfig(extended, config) : extended), run: run ?? own }
      },
      event,
    )
  }

  /** Makes a change at the replica that works on the task; here if there is none. */
  async #atOwner(task: Task, request: OwnerRequest): Promise<Task> {
    const outcome = await this.#owners.ask(task.run, request)
    return (outcome === 'done' ? null : await this.#perform(request)) ?? (await this.#reread(task))
  }

  async #perform(request: OwnerRequest): Promise<Task | null> {
    const { tasks, dropPushes } = this.#parts
    switch (request.kind) {
      case 'cancel':
        return this.#cancel(request.taskId)
      case 'message':
        return this.#addMessage(request.taskId, request)
      case 'attach': {
        const attached = await tasks.change(request.taskId, task => {
          checkConfigCount(task, request.config.id)
          return withConfig(task, request.config)
        })
        this.#dropEverywhere(request.taskId, request.config.id)
        return attached
      }
      case 'detach': {
        const detached = await tasks.change(request.taskId, task => withoutConfig(task, request.configId))
        this.#dropEverywhere(request.taskId, request.configId)
        return detached
      }
      case 'drop':
        dropPushes(request.taskId, request.configId)
        return null
    }
  }

  async #cancel(taskId: string): Promise<Task> {
    const { tasks, local } = this.#parts
    const task = local.get(taskId)?.task ?? (await tasks.peek(taskId))
    if (!task) throw taskNotFound(taskId)
    const event = statusEvent(task, 'CANCELED', 'The task was cancelled by the client.', tasks.nextRank())
    const canceled = await tasks.change(
      taskId,
      current => {
        checkCancelable(current)
        return applyEvent(current, event)
      },
      event,
    )
    local.get(taskId)?.abort()
    return canceled
  }

  #dropEverywhere(taskId: string, configId: string): void {
    this.#parts.dropPushes(taskId, configId)
    if (this.#parts.replicas.list().length > 1) this.#owners.announce({ kind: 'drop', taskId, configId })
  }

  #reread({ id, agent, session }: Task): Promise<Task> {
    return this.#parts.tasks.find(id, agent, session)
  }
}

/** Throws in the order in which the conditions are documented. */
function checkFollowUp(task: Task, { message, config }: FollowUp): void {
  if (message.contextId !== undefined && message.contextId !== task.contextId)
    throw invalidParams('message.contextId', 'it differs from the contextId of the task')
  if (isTerminal(task.status.state))
    throw new A2aError('UNSUPPORTED_OPERATION', `the task is ${task.status.state} and accepts no more messages`)
  if (config) checkConfigCount(task, config.id)
}

function checkCancelable({ id, status }: Task): void {
  if (isTerminal(status.state))
    throw new A2aError('TASK_NOT_CANCELABLE', `the task is ${status.state} and can't be canceled`, {
      metadata: { taskId: id },
    })
}

/** Throws if the task has the maximum number of configs, unless one with this id is replaced. */
function checkConfigCount({ configs }: Task, id: string): void {
  if (configs.length < MAX_PUSH_CONFIGS || configs.some(config => config.id === id)) return
  const description = `a task has at most ${MAX_PUSH_CONFIGS} push notification configs`
  throw new A2aError('INVALID_PARAMS', description, {
    violations: [{ field: 'pushNotificationConfig', description }],
  })
}
