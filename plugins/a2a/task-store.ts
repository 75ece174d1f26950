/** Owns all tasks: who may see which, how many there are, and which one goes when there are too many. */
import { heldValueBytes } from 'svc/plugin'
import type { Bounds } from './bounds.ts'
import { A2aError, taskNotFound } from './errors.ts'
import { Task, type TaskObserver } from './task.ts'
import type { Message } from './types.ts'

/** Tasks in the order of their creation, and those of them that are finished in the order in which they did. */
class EvictionQueue {
  readonly all = new Set<Task>()
  readonly finished = new Set<Task>()

  /** What goes first: the oldest finished task, else the oldest. */
  oldest(except: Task): Task | undefined {
    for (const queue of [this.finished, this.all]) for (const task of queue) if (task !== except) return task
    return undefined
  }

  remove(task: Task): void {
    this.all.delete(task)
    this.finished.delete(task)
  }
}

/** Agents and sessions have no such character in their names. */
const contextKey = ({ agent, session, contextId }: Pick<Task, 'agent' | 'session' | 'contextId'>): string =>
  `${agent}\0${session}\0${contextId}`

const SWEEP_MS = 30_000

export type TaskBounds = Pick<
  Bounds,
  'tasks' | 'tasksPerSession' | 'taskIdleMs' | 'runningTasks' | 'taskBytes' | 'oneTaskBytes'
>

export class TaskStore implements TaskObserver {
  readonly #bounds: TaskBounds
  readonly #now: () => number
  readonly #tasks = new Map<string, Task>()
  readonly #queue = new EvictionQueue()
  readonly #sessionQueues = new Map<string, EvictionQueue>()
  /** By agent, session and context: a message counts the turns before it. */
  readonly #contexts = new Map<string, Set<Task>>()
  readonly #sweeper: NodeJS.Timeout
  #bytes = 0
  #running = 0
  #rank = 0

  /** `now` answers milliseconds of a monotonic clock. */
  constructor(bounds: TaskBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds
    this.#now = now
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref()
  }

  get size(): number {
    return this.#tasks.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Throws when as many tasks are at work as may be. */
  checkRunning(): void {
    if (this.#running >= this.#bounds.runningTasks)
      throw new A2aError('RESOURCE_EXHAUSTED', `too many running tasks (at most ${this.#bounds.runningTasks})`)
  }

  /** Whether a task holds as much as one may. */
  isFull(task: Task): boolean {
    return task.bytes > this.#bounds.oneTaskBytes
  }

  /** Memory of a message. Throws when, with what the task holds, it would be more than one task may hold. */
  measure(task: Task, message: Message): number {
    const bytes = heldValueBytes(message)
    if (task.bytes + bytes <= this.#bounds.oneTaskBytes) return bytes
    throw new A2aError(
      'RESOURCE_EXHAUSTED',
      `the task would take more than ${Math.floor(this.#bounds.oneTaskBytes / 2 ** 20)} MiB of memory`,
    )
  }

  /** A place among those at work, which is given back once. */
  acquireRunningSlot(): () => void {
    this.#running++
    let isTaken = true
    return () => {
      if (isTaken) this.#running--
      isTaken = false
    }
  }

  /** Stores a new task; older ones make room for it. */
  add(task: Task): void {
    task.lastUsedAt = this.#now()
    task.rank = ++this.#rank
    const queue = this.#sessionQueues.get(task.session) ?? new EvictionQueue()
    this.#sessionQueues.set(task.session, queue)
    this.#tasks.set(task.id, task)
    this.#queue.all.add(task)
    queue.all.add(task)
    const inContext = this.#contexts.get(contextKey(task)) ?? new Set()
    this.#contexts.set(contextKey(task), inContext.add(task))
    this.#bytes += task.bytes
    while (queue.all.size > this.#bounds.tasksPerSession) this.#evictOldest(queue, task)
    while (this.#tasks.size > this.#bounds.tasks) this.#evictOldest(this.#queue, task)
    this.#makeRoom(task)
  }

  /** The task of this id that agent and session own, which is thereby used. Throws TaskNotFound. */
  find(id: string, agent: string, session: string): Task {
    const task = this.#tasks.get(id)
    if (!task || task.agent !== agent || task.session !== session) throw taskNotFound(id)
    if (this.#isIdle(task)) {
      this.remove(task)
      throw taskNotFound(id)
    }
    task.lastUsedAt = this.#now()
    return task
  }

  /** The tasks of a session with an agent, in the order of their creation. */
  *of(agent: string, session: string): IterableIterator<Task> {
    for (const task of this.#sessionQueues.get(session)?.all ?? [])
      if (task.agent === agent && !this.#isIdle(task)) yield task
  }

  /** How many of them belong to a context. */
  countIn(agent: string, session: string, contextId: string): number {
    let count = 0
    for (const task of this.#contexts.get(contextKey({ agent, session, contextId })) ?? [])
      if (!this.#isIdle(task)) count++
    return count
  }

  changed(task: Task, addedBytes: number): void {
    if (!this.#tasks.has(task.id)) return
    task.lastUsedAt = this.#now()
    this.#bytes += addedBytes
    if (task.isTerminal) {
      this.#queue.finished.add(task)
      this.#sessionQueues.get(task.session)?.finished.add(task)
    }
    this.#makeRoom(task)
  }

  /** Puts a task first in the order of status changes. */
  rankFirst(task: Task): void {
    task.rank = ++this.#rank
  }

  remove(task: Task): void {
    if (!this.#tasks.delete(task.id)) return
    this.#queue.remove(task)
    const queue = this.#sessionQueues.get(task.session)
    queue?.remove(task)
    if (queue?.all.size === 0) this.#sessionQueues.delete(task.session)
    const inContext = this.#contexts.get(contextKey(task))
    inContext?.delete(task)
    if (inContext?.size === 0) this.#contexts.delete(contextKey(task))
    this.#bytes -= task.bytes
    task.close()
  }

  /** Removes what was idle for too long. */
  sweep(): void {
    for (const task of this.#tasks.values()) if (this.#isIdle(task)) this.remove(task)
  }

  close(): void {
    clearInterval(this.#sweeper)
    for (const task of this.#tasks.values()) this.remove(task)
  }

  #isIdle(task: Task): boolean {
    return this.#now() - task.lastUsedAt > this.#bounds.taskIdleMs
  }

  /** A single task stays, however large. */
  #makeRoom(newest: Task): void {
    while (this.#bytes > this.#bounds.taskBytes && this.#tasks.size > 1) this.#evictOldest(this.#queue, newest)
  }

  #evictOldest(queue: EvictionQueue, except: Task): void {
    const oldest = queue.oldest(except)
    if (oldest) this.remove(oldest)
  }
}
