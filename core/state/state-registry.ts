/**
 * Everything that survives a reload: the stores, logs, registers and shared objects of all plugins, reference-counted by the
 * generations that use them.
 *
 * They belong to a plugin in one version of its code. A generation with the same code gets the same objects. One with
 * changed code gets new, empty ones, while the old ones live until the last generation with that code has drained.
 */
import { AsyncResource } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type {
  Channel,
  ChannelHandler,
  EventLog,
  EventLogBounds,
  Replicated,
  ReplicatedOptions,
  Store,
  StoreBounds,
  SvcReplicas,
} from '../contract/plugin.ts'
import { MemoryEventLog } from './memory-event-log.ts'
import { MemoryStore } from './memory-store.ts'
import { Register } from './register.ts'
import { Channels, createLoneReplica } from './replicas.ts'
import { StrictEventLog } from './strict-event-log.ts'
import { StrictStore } from './strict-store.ts'

export { MemoryStore }

/** The handle of one plugin in one generation. */
export interface StateHolder {
  /** The store of that name; newer bounds replace those that it had. Throws after `release`, as the others do. */
  state<T>(name: string, bounds: StoreBounds<T>): Store<T>
  /** The log of that name; newer bounds replace those that it had. */
  eventLog<T>(name: string, bounds: EventLogBounds<T>): EventLog<T>
  /** The register of that name; the first one's `initial` counts. */
  replicated<T>(name: string, options: ReplicatedOptions<T>): Replicated<T>
  channel<M, R>(name: string, handler: ChannelHandler<M, R>): Channel<M, R>
  secret(name: string): Promise<Buffer>
  /** The object of that name, made by `create` when there is none; the newest `dispose` counts. */
  shared<T>(name: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T
  /** Resolves when the registers have their values; rejects with the first error of an `initial`. */
  ready(): Promise<void>
  /** Lets go of all of it. Resolves when what nobody else holds has been disposed of; never rejects. */
  release(): Promise<void>
}

/** The plugin that failed, and the operation. */
export interface StateFailure {
  plugin: string
  name: string
  during: 'dispose' | 'subscriber' | 'message'
}

export interface StateRegistryOptions {
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number
  /** Milliseconds between two sweeps of expired entries. Default 1000. */
  sweepMs?: number
  onError?: (error: unknown, failure: StateFailure) => void
  /** Shown as the replica's instance id. */
  instanceId?: string
  /** All values are checked for JSON and copied, and `change` functions run twice, as a shared store might do it. */
  isStrict?: boolean
  /** Whether several replicas use this state. */
  isShared?: boolean
}

type Kind = 'store' | 'log' | 'register' | 'object'

/** Something that is kept as long as a generation holds it. */
interface Held {
  readonly kind: Kind
  readonly plugin: string
  readonly name: string
  readonly value: unknown
  readonly holders: Set<object>
  /** Called when nobody holds it any more. */
  dispose?: (() => void | Promise<void>) | undefined
}

interface Place {
  kind: Kind
  plugin: string
  version: string
  name: string
}

export class StateRegistry {
  readonly replicas: SvcReplicas
  readonly isShared: boolean
  readonly #held = new Map<string, Held>()
  readonly #sweeping = new Set<{ sweep(): void }>()
  readonly #memoryOf = new WeakMap<object, MemoryStore<unknown>>()
  readonly #memoryOfLog = new WeakMap<object, MemoryEventLog<unknown>>()
  readonly #secrets = new Map<string, Buffer>()
  readonly #channels: Channels
  readonly #now: () => number
  readonly #isStrict: boolean
  readonly #onError: (error: unknown, failure: StateFailure) => void
  readonly #sweeper: NodeJS.Timeout

  constructor(options: StateRegistryOptions = {}) {
    this.#now = options.now ?? Date.now
    this.#isStrict = options.isStrict ?? false
    this.isShared = options.isShared ?? false
    this.#onError = options.onError ?? (() => {})
    this.replicas = createLoneReplica(options.instanceId ?? '')
    this.#channels = new Channels(this.replicas.self, {
      isStrict: this.#isStrict,
      onError: (error, channel) => this.#onError(error, { ...channel, during: 'message' }),
    })
    this.#sweeper = setInterval(() => this.sweep(), options.sweepMs ?? 1000).unref()
  }

  /** What one plugin, in one version of its code, holds in one generation (its number is for messages). */
  hold(generation: number, plugin: string, version: string): StateHolder {
    const holder = {}
    const registers: Register<never>[] = []
    const closing: (() => void)[] = []
    let isReleased = false
    const assertOpen = (name: string): void => {
      if (isReleased)
        throw new Error(`state "${name}" of ${plugin} requested after generation ${generation} was closed`)
    }
    const place = (kind: Kind, name: string): Place => {
      assertOpen(name)
      return { kind, plugin, version, name }
    }
    return {
      state: (name, bounds) => this.#store(holder, place('store', name), bounds),
      eventLog: (name, bounds) => this.#log(holder, place('log', name), bounds),
      replicated: <T>(name: string, options: ReplicatedOptions<T>) => {
        const register = this.#register(holder, place('register', name), options)
        registers.push(register as unknown as Register<never>)
        return register
      },
      channel: (name, handler) => {
        assertOpen(name)
        const { channel, close } = this.#channels.open(plugin, name, handler)
        closing.push(close)
        return channel
      },
      secret: async name => this.#secret(plugin, name),
      shared: (name, create, dispose) => this.#object(holder, place('object', name), create, dispose),
      ready: async () => void (await Promise.all(registers.map(register => register.ready))),
      release: async () => {
        isReleased = true
        for (const close of closing.splice(0)) close()
        await this.#release(holder)
      },
    }
  }

  /** Removes a bounded number of expired entries of each store. Called by the timer. */
  sweep(): void {
    for (const one of this.#sweeping) one.sweep()
  }

  /** The number of stores and objects. */
  counts(): { stores: number; shared: number } {
    const kinds = [...this.#held.values()].map(({ kind }) => kind)
    return {
      stores: kinds.filter(kind => kind === 'store').length,
      shared: kinds.filter(kind => kind === 'object').length,
    }
  }

  /** Stops the timer. */
  close(): void {
    clearInterval(this.#sweeper)
  }

  #store<T>(holder: object, place: Place, bounds: StoreBounds<T>): Store<T> {
    const { value } = this.#hold<Store<T>>(
      holder,
      place,
      () => {
        const memory = new MemoryStore<T>(bounds, { now: this.#now, onError: this.#errorsOf(place) })
        const store = this.#isStrict
          ? new StrictStore(memory, `state "${place.name}" of plugin ${place.plugin}`)
          : memory
        this.#memoryOf.set(store, memory as unknown as MemoryStore<unknown>)
        this.#sweeping.add(memory)
        return { value: store, dispose: () => void this.#sweeping.delete(memory) }
      },
      // The same name in the same code: what it holds is what that code has put there.
      store => (this.#memoryOf.get(store) as unknown as MemoryStore<T>).setBounds(bounds),
    )
    return value
  }

  #log<T>(holder: object, place: Place, bounds: EventLogBounds<T>): EventLog<T> {
    const { value } = this.#hold<EventLog<T>>(
      holder,
      place,
      () => {
        const owner = bounds.of && this.#memoryOf.get(bounds.of)
        if (bounds.of !== undefined && owner === undefined)
          throw new TypeError(`the store that event log "${place.name}" belongs to (of) is not made by svc.state`)
        const memory = new MemoryEventLog<T>(bounds, { now: this.#now, onError: this.#errorsOf(place), owner })
        const log = this.#isStrict
          ? new StrictEventLog(memory, `event log "${place.name}" of plugin ${place.plugin}`)
          : memory
        this.#memoryOfLog.set(log, memory as unknown as MemoryEventLog<unknown>)
        this.#sweeping.add(memory)
        const dispose = (): void => {
          this.#sweeping.delete(memory)
          memory.close()
        }
        return { value: log, dispose }
      },
      log => (this.#memoryOfLog.get(log) as unknown as MemoryEventLog<T>).setBounds(bounds),
    )
    return value
  }

  #register<T>(holder: object, place: Place, options: ReplicatedOptions<T>): Register<T> {
    const what = `register "${place.name}" of plugin ${place.plugin}`
    const facts = { what, isStrict: this.#isStrict, onError: this.#errorsOf(place) }
    return this.#hold(holder, place, () => ({ value: new Register(options, facts) })).value
  }

  #object<T>(holder: object, place: Place, create: () => T, dispose?: (value: T) => void | Promise<void>): T {
    const held = this.#hold(holder, place, () => ({ value: create() }))
    // Disposal happens whenever the last generation ends; errors in it still have to carry the plugin's name.
    if (dispose) held.dispose = AsyncResource.bind(() => dispose(held.value))
    return held.value
  }

  #hold<T>(
    holder: object,
    { kind, plugin, version, name }: Place,
    create: () => { value: T; dispose?: () => void },
    renew?: (value: T) => void,
  ): Held & { value: T } {
    const key = JSON.stringify([kind, plugin, version, name])
    const known = this.#held.get(key) as (Held & { value: T }) | undefined
    if (known !== undefined) {
      renew?.(known.value)
      known.holders.add(holder)
      return known
    }
    const held = { kind, plugin, name, ...create(), holders: new Set([holder]) }
    this.#held.set(key, held)
    return held
  }

  #secret(plugin: string, name: string): Buffer {
    const key = JSON.stringify([plugin, name])
    const known = this.#secrets.get(key) ?? randomBytes(32)
    this.#secrets.set(key, known)
    return Buffer.from(known)
  }

  #errorsOf({ plugin, name }: Place): (error: unknown) => void {
    return error => this.#onError(error, { plugin, name, during: 'subscriber' })
  }

  async #release(holder: object): Promise<void> {
    const dropped: Held[] = []
    for (const [key, held] of this.#held) {
      if (!held.holders.delete(holder) || held.holders.size > 0) continue
      this.#held.delete(key)
      dropped.push(held)
    }
    await Promise.all(
      dropped.map(async ({ plugin, name, dispose }) => {
        try {
          await dispose?.()
        } catch (error) {
          this.#onError(error, { plugin, name, during: 'dispose' })
        }
      }),
    )
  }
}
