/** Messages between replicas: each one has a sharded channel, on which the others publish requests and replies. */
import { randomBytes } from 'node:crypto'
import { ReplicaError } from '../../core/contract/replication.ts'
import { StateUnavailable } from '../../core/contract/state.ts'
import type { MessageObserver } from '../../core/state/shared-backend.ts'
import { UnknownChannel } from '../../core/state/replicas.ts'
import type { StoreConnection } from './store-connection.ts'

/** Maximum length of a message in characters. */
const MAX_LENGTH = 8 * 1024 * 1024
/** Time for which a message that needs no reply is sent again, and the pause before, in milliseconds. */
const SEND_MS = 2_000
const RETRY_MS = 100
/** Time after which it is known that a replica is gone that receives no messages, in milliseconds. */
const KNOWN_MS = 6_000
/** Replies that are awaited at the same time. */
const MAX_AWAITED = 10_000

interface Request {
  plugin: string
  channel: string
  from: string
  message: unknown
  /** Absent if no reply is wanted. */
  id?: string
}

interface Reply {
  re: string
  reply?: unknown
  error?: string
}

export interface ReplicaMessagesOptions {
  connection: StoreConnection
  prefix: string
  self: string
  /** Handles a request of another replica. */
  handle(plugin: string, channel: string, message: unknown, from: string): Promise<unknown>
  /** Called when a replica does not receive messages. False if it may soon. */
  isGone(replica: string): Promise<boolean>
  observer?: MessageObserver
  onError(error: unknown, channel: { plugin: string; name: string }): void
}

export class ReplicaMessages {
  readonly #options: ReplicaMessagesOptions
  readonly #awaited = new Map<string, { resolve(reply: unknown): void; reject(error: unknown): void }>()
  readonly #subscription: { ready: Promise<void>; stop(): void }

  constructor(options: ReplicaMessagesOptions) {
    this.#options = options
    this.#subscription = options.connection.subscribe(this.#channelOf(options.self), {
      message: text => this.#receive(text),
      reset: () => {},
    })
  }

  /** Sends a message and returns the reply. Rejects with `ReplicaError` or `StateUnavailable`. */
  async ask(
    to: string,
    {
      plugin,
      channel,
      message,
      timeoutMs,
      signal,
    }: {
      plugin: string
      channel: string
      message: unknown
      timeoutMs: number
      signal?: AbortSignal | undefined
    },
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#awaited.size >= MAX_AWAITED)
      throw new ReplicaError('REPLICA_TIMEOUT', 'too many messages are waiting for a reply')
    const id = randomBytes(9).toString('base64url')
    let timer: NodeJS.Timeout | undefined
    let onAbort = (): void => {}
    const reply = new Promise((resolve, reject) => {
      this.#awaited.set(id, { resolve, reject })
      timer = setTimeout(
        () => reject(new ReplicaError('REPLICA_TIMEOUT', `no reply within ${timeoutMs} ms`)),
        timeoutMs,
      )
      onAbort = () => reject(signal?.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
    reply.catch(() => {})
    try {
      await this.#send(to, { plugin, channel, from: this.#options.self, message, id }, timeoutMs)
      return await reply
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      this.#awaited.delete(id)
    }
  }

  /** Sends a message that needs no reply. */
  async send(to: string, plugin: string, channel: string, message: unknown): Promise<void> {
    await this.#send(to, { plugin, channel, from: this.#options.self, message }, SEND_MS)
  }

  close(): void {
    this.#subscription.stop()
    for (const { reject } of this.#awaited.values()) reject(new StateUnavailable('away'))
    this.#awaited.clear()
  }

  async #send(to: string, request: Request, timeoutMs: number): Promise<void> {
    this.#options.observer?.sent(request.plugin)
    // Who waits for a reply also waits until it is known whether the replica is gone.
    const endsAt = performance.now() + (timeoutMs < SEND_MS ? timeoutMs : Math.max(timeoutMs, KNOWN_MS))
    while ((await this.#publish(to, request)) === 0) {
      if (await this.#options.isGone(to)) throw new ReplicaError('REPLICA_GONE', `the replica ${to} is gone`)
      if (performance.now() > endsAt)
        throw new ReplicaError('REPLICA_TIMEOUT', `the replica ${to} does not receive messages`)
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  async #publish(to: string, message: Request | Reply): Promise<number> {
    const text = JSON.stringify(message)
    if (text.length > MAX_LENGTH)
      throw new ReplicaError('REPLICA_FAILED', `a message has at most ${MAX_LENGTH} characters`)
    const channel = this.#channelOf(to)
    return Number(await this.#options.connection.send(channel, 'SPUBLISH', channel, text))
  }

  #channelOf(replica: string): string {
    return `${this.#options.prefix}:{r/${replica}}`
  }

  #receive(text: string): void {
    if (text.length > MAX_LENGTH) return
    const message = JSON.parse(text) as Request | Reply
    if ('re' in message) {
      const awaited = this.#awaited.get(message.re)
      if (message.error === undefined) awaited?.resolve(message.reply)
      else awaited?.reject(new ReplicaError('REPLICA_FAILED', message.error))
      return
    }
    void this.#answer(message)
  }

  async #answer({ plugin, channel, message, from, id }: Request): Promise<void> {
    const { handle, observer, onError } = this.#options
    observer?.received(plugin)
    let reply: Omit<Reply, 're'>
    try {
      reply = { reply: await handle(plugin, channel, message, from) }
    } catch (error) {
      if (id === undefined && !(error instanceof UnknownChannel)) onError(error, { plugin, name: channel })
      reply = { error: error instanceof Error ? error.message : String(error) }
    }
    if (id === undefined) return
    await this.#publish(from, { re: id, ...reply }).catch(() => {})
  }
}
