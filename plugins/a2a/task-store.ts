/** Owns all tasks: access by session and agent, limits, and eviction. */
import { heldValueBytes } from 'svc/plugin'
import type { Bounds } from './bounds.ts'
import { A2aError, taskNotFound } from './errors.ts'
import { Task, type TaskObserver } from './task.ts'
import type { Message } from './types.ts'

/** Tasks in the order of their creation, and the finished ones in the order in which they finished. */
class EvictionQueue {
  readonly all = new Set<Task>()
  readonly finished = new Set<Task>()

  /** The task to evict next: the oldest finished one, else the oldest one. */
  oldest(except: Task): Task | undefined {
    for (const queue of [this.finished, this.all]) for (const task of queue) if (task !== except) return task
    return undefined
  }

  remove(task: Task): void {
    this.all.delete(task)
    this.finished.delete(task)
  }
}

/** Agent ids and session keys never contain NUL. */
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
  /** By agent, session and context, to count the turns of a conversation. */
  readonly #contexts = new Map<string, Set<Task>>()
  readonly #sweeper: NodeJS.Timeout
  #bytes = 0
  #running = 0
  #rank = 0

  /** `now` returns milliseconds of a monotonic clock. */
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

  /** Throws if the maximum number of tasks is running. */
  checkRunning(): void {
    if (this.#running >= this.#bounds.runningTasks)
      throw new A2aError('RESOURCE_EXHAUSTED', `too many running tasks (at most ${this.#bounds.runningTasks})`)
  }

  /** Whether a task exceeds its memory limit. */
  isFull(task: Task): boolean {
    return task.bytes > this.#bounds.oneTaskBytes
  }

  /** Memory of a message. Throws if the task would exceed its memory limit with it. */
  measure(task: Task, message: Message): number {
    const bytes = heldValueBytes(message)
    if (task.bytes + bytes <= this.#bounds.oneTaskBytes) return bytes
    throw new A2aError(
      'RESOURCE_EXHAUSTED',
      `the task would take more than ${Math.floor(this.#bounds.oneTaskBytes / 2 ** 20)} MiB of memory`,
    )
  }

  /** Counts a running task; returns a function that releases the slot (repeated calls have no effect). */
  acquireRunningSlot(): () => void {
    this.#running++
    let isTaken = true
    return () => {
      if (isTaken) this.#running--
      isTaken = false
    }
  }

  /** Stores a new task, and evicts older ones if necessary. */
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

  /** The task with this id, if it belongs to the agent and session; marks it as used. Throws TaskNotFound. */
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

  /** Number of tasks of a session with an agent in a context. */
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

  /** Makes a task the one with the most recent status change. */
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

  /** Removes tasks that were idle for too long. */
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

  /** Never evicts the only task, even if it exceeds the limit. */
  #makeRoom(newest: Task): void {
    while (this.#bytes > this.#bounds.taskBytes && this.#tasks.size > 1) this.#evictOldest(this.#queue, newest)
  }

  #evictOldest(queue: EvictionQueue, except: Task): void {
    const oldest = queue.oldest(except)
    if (oldest) this.remove(oldest)
  }
}
