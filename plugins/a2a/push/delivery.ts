/** Owns the delivery of push notifications: in order per config, with limits and retries. */
import { heldBytes } from 'svc/plugin'
import { A2aError } from '../errors.ts'
import type { SinkStore } from '../sink.ts'
import { sleep } from '../sleep.ts'
import type { AttachedConfig, Task, Update } from '../task.ts'
import { MAX_PUSH_CONFIGS } from '../bounds.ts'
import { pushBody } from '../wire/push-body.ts'
import type { PushConfig } from './push-config.ts'
import type { PushTarget } from './target.ts'

const MAX_QUEUED = 100
/** Memory of all queued and in-flight notifications. */
const MAX_QUEUED_BYTES = 32 * 2 ** 20
const MAX_IN_FLIGHT = 32
const ATTEMPT_MS = 10_000
const RETRY_MS = [250, 1000]

/** The undelivered notifications of one config. */
interface Queue {
  readonly url: string
  readonly headers: Record<string, string>
  /** JSON texts rather than buffers: small buffers share a memory pool, which is only freed as a whole. */
  readonly bodies: string[]
  /** Aborts when the config is removed. */
  readonly removed: AbortController
  /** Whether the queue waits for its turn or has a request in flight. */
  isBusy: boolean
}

export class PushDelivery {
  readonly #version: string
  #inFlight = 0
  #heldBytes = 0
  readonly #turns: Queue[] = []

  /** `version`: version of svc, for `User-Agent`. */
  constructor(version: string) {
    this.#version = version
  }

  /** Throws if the task already has the maximum number of configs, unless `id` replaces one. */
  static checkCount(task: Task | null, id: string | undefined): void {
    if (!task || task.configs.size < MAX_PUSH_CONFIGS || (id !== undefined && task.configs.has(id))) return
    const description = `a task has at most ${MAX_PUSH_CONFIGS} push notification configs`
    throw new A2aError('INVALID_PARAMS', description, {
      violations: [{ field: 'pushNotificationConfig', description }],
    })
  }

  /** Sends every later update of the task to the target. Replaces a config with the same id. */
  attach(task: Task, config: PushConfig, target: PushTarget, sinks: SinkStore): void {
    const headers = this.#headersOf(config)
    const queue: Queue | null =
      'url' in target ? { url: target.url, headers, bodies: [], removed: new AbortController(), isBusy: false } : null
    const send = (body: string): void => {
      if (queue) this.#enqueue(queue, body)
      else if ('sink' in target) void sinks.receive(target.sink, 'in-process', headers, Buffer.from(body))
    }
    const unsubscribe = task.subscribe({
      update: (update: Update) => send(JSON.stringify(pushBody(task, update, config.protocolVersion))),
      closed: () => {},
    })
    const attached: AttachedConfig = {
      config,
      detach: () => {
        unsubscribe()
        if (queue) this.#drop(queue)
      },
    }
    task.attach(attached)
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
    if (queue.isBusy || queue.bodies.length === 0) return
    queue.isBusy = true
    this.#turns.push(queue)
    this.#next()
  }

  #release(body: string): void {
    this.#heldBytes -= heldBytes(body)
  }

  #drop(queue: Queue): void {
    queue.removed.abort()
    for (const body of queue.bodies.splice(0)) this.#release(body)
  }

  /** Queues take turns, with at most one request in flight per queue. */
  #next(): void {
    while (this.#inFlight < MAX_IN_FLIGHT) {
      const queue = this.#turns.shift()
      if (!queue) return
      const body = queue.bodies.shift()
      if (body === undefined) {
        queue.isBusy = false
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
