/** Channels of plugins, and the only replica of a deployment without a shared store. */
import { randomBytes } from 'node:crypto'
import { ReplicaError, type Channel, type ChannelHandler, type Replica, type SvcReplicas } from '../contract/plugin.ts'
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

/** Messages to other replicas. */
export interface RemoteReplicas {
  /** Names of the other living replicas. */
  others(): string[]
  ask(
    to: string,
    request: { plugin: string; channel: string; message: unknown; timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<unknown>
  send(to: string, plugin: string, channel: string, message: unknown): Promise<void>
}

export interface ChannelsOptions {
  /** Messages and replies are checked for JSON and copied. */
  isStrict: boolean
  /** Receives errors of handlers that no caller waits for. */
  onError: (error: unknown, channel: { plugin: string; name: string }) => void
  /** Absent if this process is the only replica. */
  remote?: RemoteReplicas
}

/** Delivers messages one after the other to the newest handler of their channel. */
export class Channels {
  readonly #replica: string
  readonly #isStrict: boolean
  readonly #onError: (error: unknown, channel: { plugin: string; name: string }) => void
  readonly #handlers = new Map<string, AnyHandler[]>()
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #remote: RemoteReplicas | undefined

  constructor(replica: string, { isStrict, onError, remote }: ChannelsOptions) {
    this.#replica = replica
    this.#isStrict = isStrict
    this.#onError = onError
    this.#remote = remote
  }

  /** Opens a channel. `close` removes its handler. */
  open<M, R>(plugin: string, name: string, handler: ChannelHandler<M, R>): { channel: Channel<M, R>; close(): void } {
    const key = JSON.stringify([plugin, name])
    const handlers = this.#handlers.get(key) ?? []
    this.#handlers.set(key, handlers)
    handlers.push(handler as AnyHandler)
    const replica = this.#replica
    const remote = this.#remote
    const deliver = (message: M): Promise<R> => this.#deliver(key, message, replica) as Promise<R>
    /** A handler need not reply, so a missing value is allowed. */
    const checked = <T>(value: T, kind: 'message' | 'reply'): T =>
      this.#isStrict && value !== undefined
        ? copyJson(value, `${kind} of channel "${name}" of plugin ${plugin}`)
        : value
    const askHere = async (message: M, waitMs: number, signal?: AbortSignal): Promise<R> =>
      checked(await inTime(deliver(message), waitMs, signal), 'reply')
    const askThere = (to: string, message: M, timeoutMs: number, signal?: AbortSignal): Promise<R> =>
      remote!.ask(to, { plugin, channel: name, message, timeoutMs, signal }) as Promise<R>
    const channel: Channel<M, R> = {
      replica,
      async tell(message, { waitMs = PATIENCE_MS } = {}) {
        const sent = checked(message, 'message')
        const others = remote?.others() ?? []
        const replies = await Promise.all([
          outcomeOf(replica, askHere(sent, waitMs)),
          ...others.map(to => outcomeOf(to, askThere(to, sent, waitMs))),
        ])
        const answered = replies.filter(outcome => 'reply' in outcome)
        return {
          reached: answered.map(({ from }) => from),
          missing: replies.filter(outcome => !('reply' in outcome)).map(({ from }) => from),
          replies: answered.map(({ reply }) => reply),
        }
      },
      send: message => {
        const sent = checked(message, 'message')
        deliver(sent).catch(error => this.#onError(error, { plugin, name }))
        // The store of facts, not the message, decides: a replica that is gone needs none.
        for (const to of remote?.others() ?? []) remote!.send(to, plugin, name, sent).catch(() => {})
      },
      async ask(to, message, { timeoutMs = PATIENCE_MS, signal } = {}) {
        const sent = checked(message, 'message')
        if (to !== replica && remote !== undefined) return askThere(to, sent, timeoutMs, signal)
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

  /** Delivers a message of another replica. */
  async receive(plugin: string, name: string, message: unknown, from: string): Promise<unknown> {
    const reply = await this.#deliver(JSON.stringify([plugin, name]), message, from)
    return this.#isStrict && reply !== undefined
      ? copyJson(reply, `reply of channel "${name}" of plugin ${plugin}`)
      : reply
  }

  #deliver(key: string, message: unknown, from: string): Promise<unknown> {
    const before = this.#turns.get(key) ?? Promise.resolve()
    const handled = before.then(() => {
      const handler = this.#handlers.get(key)?.at(-1)
      if (handler === undefined) throw new UnknownChannel()
      return handler.on(message, from)
    })
    const turn = handled.catch(() => {})
    this.#turns.set(key, turn)
    return handled
  }
}

/** This replica has no such channel, or not yet: its plugins may be others. */
export class UnknownChannel extends Error {
  override readonly name = 'UnknownChannel'

  constructor() {
    super('unknown channel')
  }
}

type Outcome<R> = { from: string; reply: R } | { from: string }

/** Never rejects, except for a TypeError of a message or reply that is not JSON. */
async function outcomeOf<R>(from: string, reply: Promise<R>): Promise<Outcome<R>> {
  try {
    return { from, reply: await reply }
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('not JSON')) throw error
    return { from }
  }
}

/** Rejects if the reply is late or the signal aborts. */
export async function inTime<R>(reply: Promise<R>, timeoutMs: number, signal?: AbortSignal): Promise<R> {
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
