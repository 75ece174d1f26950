/** Owns the delivery of push notifications: in order per config, with limits and retries. */
import { heldBytes } from 'svc/plugin'
import type { SinkStore } from '../sink.ts'
import { sleep } from '../sleep.ts'
import type { StoredConfig, Task, Update } from '../task.ts'
import { pushBody } from '../wire/push-body.ts'
import type { PushConfig } from './push-config.ts'

const MAX_QUEUED = 100
/** Memory of all queued and in-flight notifications. */
const MAX_QUEUED_BYTES = 32 * 2 ** 20
const MAX_IN_FLIGHT = 32
const ATTEMPT_MS = 10_000
const RETRY_MS = [250, 1000]

/** The undelivered notifications of one config; it exists while there are any. */
interface Queue {
  readonly key: string
  readonly url: string
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

export class PushDelivery {
  readonly #version: string
  #inFlight = 0
  #heldBytes = 0
  readonly #turns: Queue[] = []
  readonly #queues = new Map<string, Queue>()

  /** `version`: version of svc, for `User-Agent`. */
  constructor(version: string) {
    this.#version = version
  }

  /** Sends an update to all configs of the task. `task` is the task after the update. */
  notify(task: Task, update: Update, { sinks, onEnd }: PushSurroundings): void {
    for (const config of task.configs) {
      const body = JSON.stringify(pushBody(task, update, config.protocolVersion))
      const { target } = config
      if ('sink' in target)
        // Like a delivery over HTTP, it is lost while the state store is unavailable.
        sinks.receive(target.sink, 'in-process', this.#headersOf(config), Buffer.from(body)).catch(() => {})
      else
        this.#enqueue(this.#queues.get(keyOf(task.id, config.id)) ?? this.#open(task, config, target.url, onEnd), body)
    }
  }

  /** Drops the undelivered notifications of a config. */
  drop(taskId: string, configId: string): void {
    const queue = this.#queues.get(keyOf(taskId, configId))
    if (queue) this.#drop(queue)
  }

  #open(task: Task, config: StoredConfig, url: string, onEnd: PushSurroundings['onEnd']): Queue {
    const queue: Queue = {
      key: keyOf(task.id, config.id),
      url,
      headers: this.#headersOf(config),
      bodies: [],
      removed: new AbortController(),
      unfollow: onEnd(task, () => this.#drop(queue)),
    }
    this.#queues.set(queue.key, queue)
    this.#turns.push(queue)
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
      this.#release(queue.bodies.shift()!)
    this.#next()
  }

  #release(body: string): void {
    this.#heldBytes -= heldBytes(body)
  }

  #drop(queue: Queue): void {
    this.#close(queue)
    queue.removed.abort()
    for (const body of queue.bodies.splice(0)) this.#release(body)
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
      void deliver(queue, body).finally(() => {
        this.#inFlight--
        this.#release(body)
        this.#turns.push(queue)
        this.#next()
      })
    }
  }
}

/** Ids never contain NUL. */
function keyOf(taskId: string, configId: string): string {
  return `${taskId}\0${configId}`
}

/** Delivers one notification with up to two retries. Stops on success or a permanent error. Never throws. */
async function deliver({ url, headers, removed }: Queue, body: string): Promise<void> {
  for (const retryMs of [...RETRY_MS, null]) {
    const isFinal = await attempt(url, headers, body, removed.signal)
    if (isFinal || retryMs === null || removed.signal.aborted) return
    await sleep(retryMs, removed.signal)
  }
}

/** Makes one attempt. Returns whether its outcome is final, so that no retry follows. */
async function attempt(
  url: string,
  headers: Record<string, string>,
  body: string,
  removed: AbortSignal,
): Promise<boolean> {
  try {
    // A redirect could lead to a host that is not allowed.
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([removed, AbortSignal.timeout(ATTEMPT_MS)]),
    })
    await response.body?.cancel()
    return !(response.status === 408 || response.status === 429 || response.status >= 500)
  } catch {
    return removed.aborted
  }
}
