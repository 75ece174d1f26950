/** Owns access to the stored tasks: by agent and session (with its tenant), atomic changes, and following updates. */
import type { AppendedEntry } from 'svc/plugin'
import { taskNotFound } from '../protocol/errors.ts'
import { isVanished } from './task-faults.ts'
import { sessionOf } from './scope.ts'
import type { TaskStores } from './stores.ts'
import { isTerminal } from '../protocol/states.ts'
import { statesAfter, type Task, type TaskEvent, type Update } from './task.ts'

export interface Follower {
  update(update: Update): void
  /** The task was evicted, or updates were missed: no more follow. */
  closed(): void
}

/** Sees every change made in this process, after it is stored and logged. */
export type ChangeListener = (task: Task, event: TaskEvent | null) => void

/** Agent ids and session keys never contain NUL. */
const contextKey = ({ agent, session, contextId }: Pick<Task, 'agent' | 'session' | 'contextId'>): string =>
  `${agent}\0${session}\0${contextId}`

export class TaskStore {
  readonly #stores: Pick<TaskStores, 'tasks' | 'updates' | 'contexts'>
  readonly #listener: ChangeListener
  readonly #clock = new RankClock()

  constructor(stores: Pick<TaskStores, 'tasks' | 'updates' | 'contexts'>, listener: ChangeListener = () => {}) {
    this.#stores = stores
    this.#listener = listener
  }

  /** A rank above those of all earlier changes. */
  nextRank(): number {
    return this.#clock.next()
  }

  /**
   * Stores a new task with its first updates, which are part of it: nobody can follow the task earlier, so they are not logged.
   * Older tasks may be evicted. Returns the stored task.
   */
  async add(task: Task, events: readonly TaskEvent[] = []): Promise<Task> {
    const { updates } = task
    const states = statesAfter(task, events).map(state => ({ ...state, updates }))
    const last = states.at(-1) ?? task
    const isEnd = isTerminal(last.status.state)
    await this.#stores.tasks.add(last.id, last, { group: sessionOf(last.session), ...(isEnd && { spare: true }) })
    for (const [index, state] of states.entries()) this.#listener(state, events[index]!)
    return last
  }

  /** The task with this id, if it belongs to the agent and session; marks it as used. Throws TaskNotFound. */
  async find(id: string, agent: string, session: string): Promise<Task> {
    const task = await this.#stores.tasks.get(id)
    if (!task || task.agent !== agent || task.session !== session) throw taskNotFound(id)
    return task
  }

  /** The task with this id, whoever owns it. */
  async peek(id: string): Promise<Task | undefined> {
    return this.#stores.tasks.peek(id)
  }

  /** The tasks of a session with an agent, the most recent status change first. */
  async list(agent: string, session: string): Promise<Task[]> {
    const where = (task: Task): boolean => task.agent === agent && task.session === session && !isVanished(task)
    const found = await this.#stores.tasks.list({ group: sessionOf(session), where })
    return found.map(({ value }) => value).sort((a, b) => b.rank - a.rank)
  }

  /**
   * Changes a task and logs the update, in one step. `change` must be pure; it throws if it does not accept the task. Throws
   * TaskNotFound if the task was evicted.
   */
  async change(id: string, change: (task: Task) => Task, event: TaskEvent | null = null): Promise<Task> {
    const task = await this.#update(id, change, event === null ? [] : [event])
    this.#listener(task, event)
    return task
  }

  /** Applies updates to a task and logs them, in one step. `check` throws if they must not be. Throws TaskNotFound. */
  async apply(id: string, events: readonly TaskEvent[], check: (task: Task) => void): Promise<Task> {
    let states: Task[] = []
    const change = (task: Task): Task => {
      check(task)
      // The function may run more than once: what the last run returns is stored.
      states = statesAfter(task, events)
      return states.at(-1) ?? task
    }
    const task = await this.#update(id, change, events)
    for (const [index, state] of states.entries()) this.#listener(state, events[index]!)
    return task
  }

  async #update(id: string, change: (task: Task) => Task, events: readonly TaskEvent[]): Promise<Task> {
    const log: AppendedEntry['log'] = this.#stores.updates
    const last = events.at(-1)
    const isEnd = last?.kind === 'status' && isTerminal(last.status.state)
    const task = await this.#stores.tasks.update(id, current => (current === undefined ? undefined : change(current)), {
      ...(isEnd && { spare: true }),
      ...(last && { append: events.map(value => ({ log, value })) }),
    })
    if (!task) throw taskNotFound(id)
    return task
  }

  /** Reports every update after the given state of the task. Returns a function that stops. */
  follow(task: Pick<Task, 'id' | 'updates'>, follower: Follower): () => void {
    return this.followEvents(task, {
      event: event => {
        if (event.kind !== 'message') follower.update(event)
      },
      closed: () => follower.closed(),
    })
  }

  /** The same, including messages of the user. */
  followEvents(
    { id, updates }: Pick<Task, 'id' | 'updates'>,
    { event: onEvent, closed }: { event(event: TaskEvent): void; closed(): void },
  ): () => void {
    let last = updates
    const stop = this.#stores.updates.follow(
      id,
      updates,
      (seq, event) => {
        if (seq !== last + 1) {
          stop()
          return closed()
        }
        last = seq
        onEvent(event)
      },
      closed,
    )
    return stop
  }

  /** Whether these are the last updates, although the change had no answer: then they are reported, and the task returned. */
  async afterUpdates(id: string, events: readonly TaskEvent[]): Promise<Task | undefined> {
    const [last] = await this.#stores.updates.newest(id, 1)
    const task = last?.value.rank === events.at(-1)?.rank ? await this.peek(id) : undefined
    if (task) for (const event of events) this.#listener(task, event)
    return task
  }

  /** Removes the tasks of a session, or all (null). Returns their number. */
  async clear(session: string | null): Promise<number> {
    const own = session === null ? [] : await this.#stores.contexts.list({ group: session })
    const keys = new Set(own.map(({ key }) => key))
    await this.#stores.contexts.clear((_count, key) => session === null || keys.has(key))
    return this.#stores.tasks.clear(task => session === null || sessionOf(task.session) === session)
  }

  /** Counts a new task of a context. Returns its number, from 1. */
  takeTurn(task: Pick<Task, 'agent' | 'session' | 'contextId'>): Promise<number> {
    return this.#stores.contexts.increment(contextKey(task), 1, { group: sessionOf(task.session) })
  }

  /** Undoes `takeTurn`, for a message that needs no task. */
  async returnTurn(task: Pick<Task, 'agent' | 'session' | 'contextId'>): Promise<void> {
    await this.#stores.contexts.increment(contextKey(task), -1, { group: sessionOf(task.session) })
  }
}

/** Numbers that grow with time, so that changes made by several replicas have one order. */
class RankClock {
  #last = 0

  /** Microseconds since 1970, but always greater than the previous number. */
  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now() * 1000)
    return this.#last
  }
}
