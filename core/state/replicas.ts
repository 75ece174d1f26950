/** Replicas and messages between them without a shared store: this process is the only replica. */
import { randomBytes } from 'node:crypto'
import { ReplicaError } from '../contract/plugin.ts'
import type { Channel, ChannelHandler, Replica, SvcReplicas } from '../contract/plugin.ts'
import { copyJson } from './json-values.ts'

/** The only replica of a deployment. */
export function createLoneReplica(instanceId: string): SvcReplicas {
  const self = randomBytes(6).toString('hex')
  const replica: Replica = { replica: self, instanceId, startedAt: new Date().toISOString() }
  return { self, list: () => [{ ...replica }], isLeader: () => true, onGone: () => () => {} }
}

/** Default time to wait for a reply, in milliseconds. */
const PATIENCE_MS = 2000

type AnyHandler = ChannelHandler<unknown, unknown>

export interface ChannelsOptions {
  /** Messages and replies are checked for JSON and copied. */
  isStrict: boolean
  /** Receives errors of handlers that no caller waits for. */
  onError: (error: unknown, channel: { plugin: string; name: string }) => void
}

/** Delivers messages one after the other to the newest handler of their channel. */
export class Channels {
  readonly #replica: string
  readonly #isStrict: boolean
  readonly #onError: (error: unknown, channel: { plugin: string; name: string }) => void
  readonly #handlers = new Map<string, AnyHandler[]>()
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(replica: string, { isStrict, onError }: ChannelsOptions) {
    this.#replica = replica
    this.#isStrict = isStrict
    this.#onError = onError
  }

  /** Opens a channel. `close` removes its handler. */
  open<M, R>(plugin: string, name: string, handler: ChannelHandler<M, R>): { channel: Channel<M, R>; close(): void } {
    const key = JSON.stringify([plugin, name])
    const handlers = this.#handlers.get(key) ?? []
    this.#handlers.set(key, handlers)
    handlers.push(handler as AnyHandler)
    const replica = this.#replica
    const deliver = (message: M): Promise<R> => this.#deliver(key, message) as Promise<R>
    /** A handler need not reply, so a missing value is allowed. */
    const checked = <T>(value: T, kind: 'message' | 'reply'): T =>
      this.#isStrict && value !== undefined
        ? copyJson(value, `${kind} of channel "${name}" of plugin ${plugin}`)
        : value
    const channel: Channel<M, R> = {
      replica,
      async tell(message, { waitMs = PATIENCE_MS } = {}) {
        const sent = checked(message, 'message')
        let reply: R
        try {
          reply = await inTime(deliver(sent), waitMs)
        } catch {
          return { reached: [], missing: [replica], replies: [] }
        }
        return { reached: [replica], missing: [], replies: [checked(reply, 'reply')] }
      },
      send: message => void deliver(checked(message, 'message')).catch(error => this.#onError(error, { plugin, name })),
      async ask(to, message, { timeoutMs = PATIENCE_MS, signal } = {}) {
        const sent = checked(message, 'message')
        if (to !== replica) throw new ReplicaError('REPLICA_GONE', `the replica ${to} is gone`)
        const handled = deliver(sent).catch((error: unknown) => {
          throw new ReplicaError('REPLICA_FAILED', error instanceof Error ? error.message : String(error))
        })
        return checked(await inTime(handled, timeoutMs, signal), 'reply')
      },
    }
    const close = (): void => {
      handlers.splice(handlers.indexOf(handler as AnyHandler), 1)
      if (handlers.length > 0) return
      this.#handlers.delete(key)
      this.#turns.delete(key)
    }
    return { channel, close }
  }

  #deliver(key: string, message: unknown): Promise<unknown> {
    const before = this.#turns.get(key) ?? Promise.resolve()
    const handled = before.then(() => {
      const handler = this.#handlers.get(key)?.at(-1)
      if (handler === undefined) throw new Error('unknown channel')
      return handler.on(message, this.#replica)
    })
    const turn = handled.catch(() => {})
    this.#turns.set(key, turn)
    return handled
  }
}

/** Rejects if the reply is late or the signal aborts. */
async function inTime<R>(reply: Promise<R>, timeoutMs: number, signal?: AbortSignal): Promise<R> {
  signal?.throwIfAborted()
  let giveUp: (error: unknown) => void = () => {}
  const late = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  const onAbort = (): void => giveUp(signal?.reason)
  const timer = setTimeout(
    () => giveUp(new ReplicaError('REPLICA_TIMEOUT', `no reply within ${timeoutMs} ms`)),
    timeoutMs,
  )
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([reply, late])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    reply.catch(() => {})
  }
}
