/** Several task services that share their stores, as the replicas of a deployment do. */
import { setImmediate as turn } from 'node:timers/promises'
import { type Logger, type Svc, ReplicaError, StateUnavailable } from '../../core/contract/plugin.ts'
import { StateRegistry } from '../../core/state/state-registry.ts'
import { type Bounds, boundsOf } from '../../plugins/a2a/bounds.ts'
import { LocalRun, LocalRuns } from '../../plugins/a2a/tasks/local-runs.ts'
import { failLostRuns } from '../../plugins/a2a/tasks/lost-runs.ts'
import type { OwnerRequest } from '../../plugins/a2a/tasks/owner.ts'
import { RunSlots } from '../../plugins/a2a/tasks/run-slots.ts'
import { openTaskStores } from '../../plugins/a2a/tasks/stores.ts'
import {
  applyEvent,
  createTask,
  messageEvent,
  type StoredConfig,
  type Task,
  type TaskEvent,
} from '../../plugins/a2a/tasks/task.ts'
import { TaskService, type TaskServiceParts } from '../../plugins/a2a/tasks/task-service.ts'
import { TaskStore } from '../../plugins/a2a/tasks/task-store.ts'
import { UnstoredRuns } from '../../plugins/a2a/tasks/unstored-runs.ts'
import type { Message, Step } from '../../plugins/a2a/types.ts'

type Handler = Parameters<TaskServiceParts['openChannel']>[0]

export const message = (text: string): Message => ({ messageId: 'm', role: 'user', parts: [{ text }] })

export const sinkConfig = (id: string): StoredConfig => ({
  id,
  url: '/a2a/webhook-sink/s',
  protocolVersion: '1.0',
  target: { sink: 's' },
})

const WRITES = new Set(['set', 'add', 'update', 'delete'])

export class ReplicaSet {
  readonly bounds: Bounds
  readonly stores: ReturnType<typeof openTaskStores>
  /** Requests that replicas have passed to each other. */
  readonly passed: { to: string; kind: OwnerRequest['kind'] }[] = []
  readonly replicas: TestReplica[] = []
  readonly handlers = new Map<string, Handler>()
  outage: 'before' | 'after' | null = null
  /** Called with the store and the method of each write. */
  onWrite: (name: string) => void = () => {}
  readonly #registry = new StateRegistry({ isStrict: true })

  constructor(count: number, bounds: Partial<Bounds> = {}) {
    this.bounds = { ...boundsOf({ publicMode: false } as Parameters<typeof boundsOf>[0]), ...bounds }
    const stores = openTaskStores(this.#registry.hold(1, 'a2a', '1') as unknown as Svc, this.bounds)
    this.stores = {
      ...stores,
      tasks: this.#interruptible('tasks', stores.tasks),
      runs: this.#interruptible('runs', stores.runs),
    }
    for (let index = 0; index < count; index++) this.replicas.push(new TestReplica(`replica-${index}`, this))
  }

  close(): void {
    for (const { unstored } of this.replicas) unstored.close()
    this.#registry.close()
  }

  /** The store, which fails while `outage` is set: before a change, or after it. */
  #interruptible<T extends object>(label: string, store: T): T {
    return new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>
        return async (...args: unknown[]) => {
          if (this.outage === 'before') throw new StateUnavailable('away')
          if (WRITES.has(String(name))) this.onWrite(`${label}.${String(name)}`)
          const result = await method.apply(target, args)
          if ((name === 'update' || name === 'add') && this.outage === 'after') {
            this.outage = null
            throw new StateUnavailable('timeout')
          }
          return result
        }
      },
    })
  }

  /** The leader fails the tasks of replicas that are gone. */
  async failLost(): Promise<void> {
    for (const replica of this.replicas) if (this.handlers.has(replica.name)) await replica.failLost()
  }
}

export class TestReplica {
  readonly name: string
  readonly local = new LocalRuns()
  readonly tasks: TaskStore
  readonly service: TaskService
  /** What this replica would push: updates of its own changes. */
  readonly pushed: string[] = []
  /** The tasks after these updates. */
  readonly states: Task[] = []
  readonly errors: unknown[] = []
  readonly unstored: UnstoredRuns
  readonly #parts: TaskServiceParts

  constructor(name: string, set: ReplicaSet) {
    this.name = name
    this.tasks = new TaskStore(set.stores, (task, event) => {
      this.local.update(task)
      if (!event) return
      this.pushed.push(nameOf(event))
      this.states.push(task)
    })
    const list = () => [...set.handlers.keys()].map(replica => ({ replica, instanceId: replica, startedAt: '' }))
    const log = { error: (...fields: unknown[]) => this.errors.push(fields), warn: () => {} } as unknown as Logger
    const slots = new RunSlots(set.stores.runs, set.bounds.runningTasks)
    this.unstored = new UnstoredRuns({ tasks: this.tasks, slots, log })
    this.#parts = {
      tasks: this.tasks,
      local: this.local,
      slots,
      unstored: this.unstored,
      storeWaitMs: set.bounds.storeWaitMs,
      replicas: { self: name, list },
      log,
      logOf: () => log,
      maxTaskBytes: set.bounds.oneTaskBytes,
      dropPushes: (taskId, configId) => void this.pushed.push(`drop ${configId}`),
      openChannel: handler => {
        set.handlers.set(name, handler)
        return {
          ask: async (to, request) => {
            set.passed.push({ to, kind: request.kind })
            await turn()
            const owner = set.handlers.get(to)
            if (!owner) throw new ReplicaError('REPLICA_GONE', `the replica ${to} is gone`)
            return copy(await owner.on(copy(request), name))
          },
          send: request => {
            for (const other of set.handlers.values()) void other.on(copy(request), name)
          },
        }
      },
    }
    this.service = new TaskService(this.#parts)
  }

  /** Starts an agent with these steps on a new task. */
  async begin(steps: Iterable<Step> | AsyncIterable<Step>, text = 'begin'): Promise<Task> {
    const rank = this.tasks.nextRank()
    const blank = createTask({ contextId: 'c', agent: 'agent', session: 'session', turn: 1, rank })
    const run = this.service.newRun(0)
    const task = { ...applyEvent(blank, messageEvent(message(text), rank)), updates: 0, run }
    await this.service.begin(new LocalRun(run.id, task), steps)
    return task
  }

  find(id: string): Promise<Task> {
    return this.tasks.find(id, 'agent', 'session')
  }

  /** Continues a task; an agent that this starts does these steps. */
  async followUp(id: string, text: string, steps: Step[] = []): Promise<Task> {
    const followUp = { message: message(text), config: null }
    return this.service.followUp(await this.find(id), followUp, { heldBytes: 0, plan: () => steps })
  }

  failLost(): Promise<void> {
    const { replicas } = this.#parts
    const isLeader = () => replicas.list()[0]?.replica === this.name
    return failLostRuns({ ...this.#parts, replicas: { ...replicas, isLeader } })
  }
}

/** The state, the id of the artifact, or the text of the message. */
export function nameOf(event: TaskEvent): string {
  if (event.kind === 'status') return event.status.state
  return event.kind === 'artifact' ? event.artifact.artifactId : 'message'
}

/** As a message between processes. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
