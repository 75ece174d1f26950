/**
 * Several replicas in one process that share their state in memory, for tests of plugins without a store. Values are checked
 * and copied as a store does it.
 */
import { randomBytes } from 'node:crypto'
import {
  ReplicaError,
  type EventLog,
  type EventLogBounds,
  type Replica,
  type Replicated,
  type ReplicatedOptions,
  type Store,
  type StoreBounds,
  type SvcReplicas,
} from '../contract/plugin.ts'
import { copyJson } from './json-values.ts'
import { MemoryState } from './memory-state.ts'
import { Channels, inTime } from './replicas.ts'
import type { Opened, Place, ReportFailure, StateBackend } from './state-backend.ts'

interface Member extends Replica {
  channels: Channels
  listeners: Set<(replica: string) => void>
}

export class MemoryDeployment {
  readonly #state: MemoryState
  /** By kind, plugin, name and schema: what the first replica opened. */
  readonly #opened = new Map<string, Opened<unknown, unknown>>()
  /** Oldest first. */
  readonly #members: Member[] = []

  constructor(onError: ReportFailure = () => {}) {
    this.#state = new MemoryState({ now: Date.now, instanceId: '', isStrict: true, isShared: true, onError })
  }

  /** The state of a replica, which belongs to the deployment until it is closed. */
  join(instanceId: string, onError: ReportFailure): StateBackend {
    const self = randomBytes(6).toString('hex')
    const channels = new Channels(self, {
      isStrict: true,
      onError: (error, channel) => onError(error, { ...channel, during: 'message' }),
      remote: {
        others: () => this.#members.map(({ replica }) => replica).filter(replica => replica !== self),
        ask: async (to, { plugin, channel, message, timeoutMs, signal }) =>
          inTime(this.#deliver(to, self, plugin, channel, message), timeoutMs, signal),
        send: async (to, plugin, channel, message) => {
          await this.#deliver(to, self, plugin, channel, message)
        },
      },
    })
    const member: Member = {
      replica: self,
      instanceId,
      startedAt: new Date().toISOString(),
      channels,
      listeners: new Set(),
    }
    this.#members.push(member)
    return {
      replicas: this.#replicasOf(member),
      isShared: true,
      openStore: (place, bounds) => this.#openStore(place, bounds),
      openLog: (place, bounds) => this.#openLog(place, bounds),
      openRegister: (place, options) => this.#openRegister(place, options),
      openChannel: (plugin, name, handler) => channels.open(plugin, name, handler),
      secret: (plugin, name) => this.#state.secret(plugin, name),
      sweep: () => this.#state.sweep(),
      close: async () => this.#leave(member),
    }
  }

  #openStore<T>(place: Place, bounds: StoreBounds<T>): Opened<Store<T>, StoreBounds<T>> {
    return this.#open('store', place, bounds, () => this.#state.openStore(place, bounds))
  }

  #openLog<T>(place: Place, bounds: EventLogBounds<T>): Opened<EventLog<T>, EventLogBounds<T>> {
    return this.#open('log', place, bounds, () => this.#state.openLog(place, bounds))
  }

  #openRegister<T>(
    place: Place,
    options: ReplicatedOptions<T>,
  ): { value: Replicated<T>; ready: Promise<void>; close?(): void } {
    const { value, ready = Promise.resolve() } = this.#open('register', place, options, () => ({
      ...this.#state.openRegister(place, options),
      setBounds: () => {},
    }))
    return { value, ready }
  }

  /** What replicas opened stays until the deployment ends. */
  #open<V, Bounds extends { schema?: number }>(
    kind: string,
    { plugin, name }: Place,
    bounds: Bounds,
    create: () => Opened<V, Bounds>,
  ): Opened<V, Bounds> {
    const key = JSON.stringify([kind, plugin, name, bounds.schema ?? 1])
    const known = this.#opened.get(key) as Opened<V, Bounds> | undefined
    const { value, setBounds, memoryUse, ready } = known ?? create()
    const opened: Opened<V, Bounds> = { value, setBounds, ...(memoryUse && { memoryUse }), ...(ready && { ready }) }
    if (known === undefined) this.#opened.set(key, opened as Opened<unknown, unknown>)
    else setBounds(bounds)
    return opened
  }

  async #deliver(to: string, from: string, plugin: string, channel: string, message: unknown): Promise<unknown> {
    const member = this.#members.find(({ replica }) => replica === to)
    if (member === undefined) throw new ReplicaError('REPLICA_GONE', `the replica ${to} is gone`)
    const copy =
      message === undefined ? undefined : copyJson(message, `message of channel "${channel}" of plugin ${plugin}`)
    try {
      return await member.channels.receive(plugin, channel, copy, from)
    } catch (error) {
      throw new ReplicaError('REPLICA_FAILED', error instanceof Error ? error.message : String(error))
    }
  }

  #replicasOf({ replica: self, listeners }: Member): SvcReplicas {
    return {
      self,
      list: () => this.#members.map(({ replica, instanceId, startedAt }) => ({ replica, instanceId, startedAt })),
      isLeader: () => this.#members[0]?.replica === self,
      onGone(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    }
  }

  #leave(member: Member): void {
    const at = this.#members.indexOf(member)
    if (at < 0) return
    this.#members.splice(at, 1)
    for (const { listeners } of this.#members) for (const listener of listeners) listener(member.replica)
  }
}
