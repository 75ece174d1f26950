/** Owns the delivery of push notifications: in order per config, with limits and retries. */
import { type MeasuresMemory, type MemoryUse } from 'svc/plugin'
import { boundedFetch, BoundedMap, heldBytes, sleep } from 'svc/toolkit'
import type { SinkStore } from './sink.ts'
import type { StoredConfig, Task, Update } from '../tasks/task.ts'
import type { JsonObject } from '../types.ts'
import { jsonRpcV03 } from '../wire/v0.3/json-rpc.ts'
import { v1 } from '../wire/v1.0/wire.ts'
import type { PushConfig, PushTarget } from '../protocol/push-config.ts'
import { copies, delayMs, holdsUntilLast, isLast, type PushFault, pushFaultOf, withForgery } from './push-faults.ts'

const MAX_QUEUED = 100
/** Memory of all queued and in-flight notifications. */
const MAX_QUEUED_BYTES = 32 * 2 ** 20
const MAX_IN_FLIGHT = 32
const ATTEMPT_MS = 10_000
const RETRY_MS = [250, 1000]
/** Configs whose failed deliveries are counted. */
const MAX_COUNTED = 10_000

/** The undelivered notifications of one config; it exists while there are any. */
interface Queue {
  readonly key: string
  readonly target: PushTarget
  readonly sinks: SinkStore
  readonly fault: PushFault | null
  /** Not delivered yet: the notifications wait for the last one. */
  isHeld: boolean
  readonly headers: Record<string, string>
  /** JSON texts rather than buffers: small buffers share a memory pool, which is only freed as a whole. */
  readonly bodies: string[]
  /** Aborts when the config is removed. */
  readonly removed: AbortController
  /** Stops watching for the end of the task. */
  unfollow(): void
}

/** Where notifications go that are not sent over the network, and how the end of a task is noticed. */
export interface PushSurroundings {
  readonly sinks: SinkStore
  /** Calls `ended` when the task is evicted. Returns a function that stops. */
  onEnd(task: Task, ended: () => void): () => void
}

export class PushDelivery implements MeasuresMemory {
  readonly #version: string
  #inFlight = 0
  #heldBytes = 0
  readonly #turns: Queue[] = []
  readonly #queues = new Map<string, Queue>()
  /** Deliveries so far of configs whose first ones fail. */
  readonly #failed = new BoundedMap<number>(MAX_COUNTED)

  /** `version`: version of svc, for `User-Agent`. */
  constructor(version: string) {
    this.#version = version
  }

  /** Of the queues and what waits in them. */
  memoryUse(): MemoryUse {
    return { entries: this.#queues.size, bytes: this.#heldBytes }
  }

  /** Sends an update to all configs of the task. `task` is the task after the update. */
  notify(task: Task, update: Update, surroundings: PushSurroundings): void {
    const fault = pushFaultOf(task)
    if (fault?.kind === 'push-drop') return
    for (const config of task.configs) {
      const body = JSON.stringify(bodyOf(task, update, config))
      const { target } = config
      if ('sink' in target && !fault) {
        // Like a delivery over HTTP, it is lost while the state store is unavailable.
        const headers = this.#headersOf(config)
        surroundings.sinks.receive(target.sink, 'in-process', headers, Buffer.from(body)).catch(() => {})
        continue
      }
      const queue = this.#queues.get(keyOf(task.id, config.id)) ?? this.#open(task, config, fault, surroundings)
      this.#enqueue(queue, body)
      if (queue.isHeld && isLast(update)) this.#release(queue)
    }
  }

  /** Drops the undelivered notifications of a config. */
  drop(taskId: string, configId: string): void {
    const queue = this.#queues.get(keyOf(taskId, configId))
    if (queue) this.#drop(queue)
    this.#failed.delete(keyOf(taskId, configId))
  }

  #open(task: Task, config: StoredConfig, fault: PushFault | null, { sinks, onEnd }: PushSurroundings): Queue {
    const queue: Queue = {
      key: keyOf(task.id, config.id),
      target: config.target,
      sinks,
      fault,
      isHeld: holdsUntilLast(fault),
      headers: withForgery(this.#headersOf(config), fault),
      bodies: [],
      removed: new AbortController(),
      unfollow: onEnd(task, () => this.#drop(queue)),
    }
    this.#queues.set(queue.key, queue)
    if (!queue.isHeld) this.#turns.push(queue)
    return queue
  }

  #headersOf({ protocolVersion, token, authentication }: PushConfig): Record<string, string> {
    const headers: Record<string, string> = {
      'content-type': 'application/a2a+json',
      'a2a-version': protocolVersion,
      'user-agent': `svc-a2a/${this.#version}`,
    }
    if (token !== undefined) headers['x-a2a-notification-token'] = token
    if (authentication) headers.authorization = `${authentication.scheme} ${authentication.credentials ?? ''}`.trim()
    return headers
  }

  #enqueue(queue: Queue, body: string): void {
    queue.bodies.push(body)
    this.#heldBytes += heldBytes(body)
    while (queue.bodies.length > 0 && (queue.bodies.length > MAX_QUEUED || this.#heldBytes > MAX_QUEUED_BYTES))
      this.#forget(queue.bodies.shift()!)
    this.#next()
  }

  /** Delivers the notifications of a held queue, the last one first. */
  #release(queue: Queue): void {
    const last = queue.bodies.pop()
    if (last !== undefined) queue.bodies.unshift(last)
    queue.isHeld = false
    this.#turns.push(queue)
    this.#next()
  }

  #forget(body: string): void {
    this.#heldBytes -= heldBytes(body)
  }

  #drop(queue: Queue): void {
    this.#close(queue)
    queue.removed.abort()
    for (const body of queue.bodies.splice(0)) this.#forget(body)
  }

  #close(queue: Queue): void {
    queue.unfollow()
    if (this.#queues.get(queue.key) === queue) this.#queues.delete(queue.key)
  }

  /** Queues take turns, with at most one request in flight per queue. */
  #next(): void {
    while (this.#inFlight < MAX_IN_FLIGHT) {
      const queue = this.#turns.shift()
      if (!queue) return
      const body = queue.bodies.shift()
      if (body === undefined) {
        this.#close(queue)
        continue
      }
      this.#inFlight++
      void this.#deliver(queue, body).finally(() => {
        this.#inFlight--
        this.#forget(body)
        this.#turns.push(queue)
        this.#next()
      })
    }
  }

  /** Delivers one notification, with a fault perhaps late or twice. Never throws. */
  async #deliver(queue: Queue, body: string): Promise<void> {
    const { fault, removed } = queue
    if (delayMs(fault) > 0) await sleep(delayMs(fault), { signal: removed.signal, isBackground: true })
    for (let copy = 0; copy < copies(fault) && !removed.signal.aborted; copy++) await this.#deliverOnce(queue, body)
  }

  /** Makes up to three attempts. Stops on success or a permanent error. */
  async #deliverOnce(queue: Queue, body: string): Promise<void> {
    const { removed } = queue
    for (const [index, retryMs] of [...RETRY_MS, null].entries()) {
      const isFinal = await this.#attempt(queue, body, index + 1)
      if (isFinal || retryMs === null || removed.signal.aborted) return
      await sleep(retryMs, { signal: removed.signal, isBackground: true })
    }
  }

  /** Makes one attempt. Returns whether its outcome is final, so that no retry follows. */
  async #attempt(queue: Queue, body: string, number: number): Promise<boolean> {
    const { fault, target, headers, sinks } = queue
    const isFailed = fault?.kind === 'push-fail' && this.#isFailed(queue, fault)
    const isAffected = fault !== null && (fault.kind !== 'push-fail' || isFailed)
    const facts = { attempt: number, ...(isAffected ? { fault: fault.kind } : {}) }
    const isFinal =
      'url' in target
        ? await post(target.url, headers, body, queue.removed.signal)
        : await sinks.receive(target.sink, 'in-process', headers, Buffer.from(body), facts).then(
            () => true,
            () => true,
          )
    return isFinal && !isFailed
  }

  /** Whether a delivery counts as answered 500, as the first ones do. */
  #isFailed({ key }: Queue, { amount }: PushFault): boolean {
    const count = (this.#failed.get(key) ?? 0) + 1
    this.#failed.set(key, count)
    return count <= amount
  }
}

/** Ids never contain NUL. */
function keyOf(taskId: string, configId: string): string {
  return `${taskId}\0${configId}`
}

/** An event in version 1.0, the whole task in 0.3. */
function bodyOf(task: Task, update: Update, { protocolVersion }: PushConfig): JsonObject {
  return protocolVersion === '1.0' ? v1.update(task, update) : jsonRpcV03.task(task)
}

/** Makes one attempt over HTTP. Returns whether its outcome is final, so that no retry follows. */
async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  removed: AbortSignal,
): Promise<boolean> {
  try {
    const { status } = await boundedFetch(url, {
      method: 'POST',
      headers,
      body,
      timeoutMs: ATTEMPT_MS,
      maxBytes: null,
      signal: removed,
    })
    return !(status === 408 || status === 429 || status >= 500)
  } catch {
    return removed.aborted
  }
}
