/**
 * Everything that survives a reload: the stores, logs, registers and shared objects of all plugins, reference-counted by the
 * generations that use them.
 *
 * Data belong to a plugin: a generation with changed code goes on with them, unless it states another `schema`. Live objects
 * belong to a plugin in one version of its code: changed code makes new ones. What only older generations use lives until the
 * last of them has drained.
 */
import { AsyncResource } from 'node:async_hooks'
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
import { roughBytes } from '../collections/estimate.ts'
import { measuresMemory, type MemoryUse } from '../collections/memory-use.ts'
import { MemoryState } from './memory-state.ts'
import { MemoryStore } from './memory-store.ts'
import type { Opened, Place, ReportFailure, StateBackend } from './state-backend.ts'

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
  /** Called when data start empty because the plugin has changed their `schema`. */
  onNewSchema?: (data: { plugin: string; name: string; schema: string }) => void
  /** Where state is kept. Default: in memory, to which the options above apply. */
  openBackend?: (onError: ReportFailure) => StateBackend
}

type Kind = 'store' | 'log' | 'register' | 'object'

/** Something that is kept as long as a generation holds it. */
interface Held {
  readonly kind: Kind
  readonly plugin: string
  readonly name: string
  readonly value: unknown
  readonly holders: Set<object>
  readonly memoryUse?: (() => MemoryUse | Promise<MemoryUse>) | undefined
  /** Called when nobody holds it any more. */
  dispose?: (() => void | Promise<void>) | undefined
}

/** What a plugin keeps under a name. */
export interface NamedUse extends MemoryUse {
  plugin: string
  name: string
}

function useOf({ kind, value, memoryUse }: Held): MemoryUse | Promise<MemoryUse> | null {
  if (memoryUse !== undefined) return memoryUse()
  if (kind === 'register') return { entries: 1, bytes: roughBytes((value as Replicated<unknown>).current) }
  return measuresMemory(value) ? value.memoryUse() : null
}

/** Code that states the same schema goes on with the data, as replicas of different versions do in a shared store. */
function schemaOf({ schema = 1 }: { schema?: number }): string {
  return String(schema)
}

export class StateRegistry {
  readonly replicas: SvcReplicas
  readonly isShared: boolean
  readonly #backend: StateBackend
  readonly #held = new Map<string, Held>()
  readonly #onError: (error: unknown, failure: StateFailure) => void
  readonly #onNewSchema: NonNullable<StateRegistryOptions['onNewSchema']>
  /** What separates the stores that were opened from others of the same name. */
  readonly #separators = new WeakMap<object, string>()
  readonly #sweeper: NodeJS.Timeout

  constructor(options: StateRegistryOptions = {}) {
    this.#onError = options.onError ?? (() => {})
    this.#onNewSchema = options.onNewSchema ?? (() => {})
    this.#backend =
      options.openBackend?.(this.#onError) ??
      new MemoryState({
        now: options.now ?? Date.now,
        instanceId: options.instanceId ?? '',
        isStrict: options.isStrict ?? false,
        isShared: options.isShared ?? false,
        onError: this.#onError,
      })
    this.replicas = this.#backend.replicas
    this.isShared = this.#backend.isShared
    this.#sweeper = setInterval(() => this.sweep(), options.sweepMs ?? 1000).unref()
  }

  /** What one plugin, in one version of its code, holds in one generation (its number is for messages). */
  hold(generation: number, plugin: string, version: string): StateHolder {
    const holder = {}
    const opening: Promise<void>[] = []
    const closing: (() => void)[] = []
    let isReleased = false
    const assertOpen = (name: string): void => {
      if (isReleased)
        throw new Error(`state "${name}" of ${plugin} requested after generation ${generation} was closed`)
    }
    const place = (name: string): Place => {
      assertOpen(name)
      return { plugin, name }
    }
    /** What `ready` waits for. */
    const opened = <V, B>(one: Held & Partial<Opened<V, B>>): V => {
      if (one.ready !== undefined) opening.push(one.ready)
      return one.value as V
    }
    return {
      state: <T>(name: string, bounds: StoreBounds<T>) =>
        opened<Store<T>, unknown>(this.#store(holder, place(name), bounds)),
      eventLog: <T>(name: string, bounds: EventLogBounds<T>) =>
        opened<EventLog<T>, unknown>(this.#log(holder, place(name), bounds)),
      replicated: <T>(name: string, options: ReplicatedOptions<T>) =>
        opened<Replicated<T>, unknown>(this.#register(holder, place(name), options)),
      channel: (name, handler) => {
        assertOpen(name)
        const { channel, close } = this.#backend.openChannel(plugin, name, handler)
        closing.push(close)
        return channel
      },
      secret: name => this.#backend.secret(plugin, name),
      shared: (name, create, dispose) => this.#object(holder, place(name), version, create, dispose),
      ready: async () => void (await Promise.all(opening)),
      release: async () => {
        isReleased = true
        for (const close of closing.splice(0)) close()
        await this.#release(holder)
      },
    }
  }

  /** Removes a bounded number of expired entries of each store. Called by the timer. */
  sweep(): void {
    this.#backend.sweep()
  }

  /** The number of stores and objects. */
  counts(): { stores: number; shared: number } {
    const kinds = [...this.#held.values()].map(({ kind }) => kind)
    return {
      stores: kinds.filter(kind => kind === 'store').length,
      shared: kinds.filter(kind => kind === 'object').length,
    }
  }

  /**
   * What the stores, logs, registers and measured shared objects hold, by plugin and name. Stores that are unavailable are
   * left out.
   */
  async memoryUse(): Promise<NamedUse[]> {
    const used = await Promise.all(
      [...this.#held.values()].map(async held => {
        try {
          const use = await useOf(held)
          return use === null ? [] : [{ plugin: held.plugin, name: held.name, ...use }]
        } catch {
          return []
        }
      }),
    )
    return used.flat()
  }

  /** Stops timers and connections. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    await this.#backend.close()
  }

  #store<T>(holder: object, place: Place, bounds: StoreBounds<T>): Held & Opened<Store<T>, StoreBounds<T>> {
    return this.#open(holder, 'store', place, bounds, () => this.#backend.openStore(place, bounds))
  }

  #log<T>(holder: object, place: Place, bounds: EventLogBounds<T>): Held & Opened<EventLog<T>, EventLogBounds<T>> {
    const owner = bounds.of === undefined ? '' : (this.#separators.get(bounds.of) ?? '')
    return this.#open(holder, 'log', place, bounds, () => this.#backend.openLog(place, bounds), owner)
  }

  #open<V, B extends { schema?: number }>(
    holder: object,
    kind: Kind,
    place: Place,
    bounds: B,
    open: () => Opened<V, B>,
    owner = '',
  ): Held & Opened<V, B> {
    const separator = `${schemaOf(bounds)}${owner === '' ? '' : ` of ${owner}`}`
    const create = (): Opened<V, B> & { dispose?: Held['dispose'] } => {
      const opened = open()
      return { ...opened, dispose: opened.close }
    }
    const held = this.#hold(holder, { kind, place, separator }, create, ({ setBounds }) => setBounds(bounds))
    this.#separators.set(held.value as object, separator)
    return held
  }

  #register<T>(holder: object, place: Place, options: ReplicatedOptions<T>) {
    return this.#hold(holder, { kind: 'register', place, separator: schemaOf(options) }, () => {
      const opened = this.#backend.openRegister(place, options)
      return { ...opened, dispose: opened.close }
    })
  }

  #object<T>(
    holder: object,
    place: Place,
    version: string,
    create: () => T,
    dispose?: (value: T) => void | Promise<void>,
  ): T {
    const identity = { kind: 'object', place, separator: version } as const
    const held: Held & { value: T } = this.#hold(holder, identity, () => ({ value: create() }))
    // Disposal happens whenever the last generation ends; errors in it still have to carry the plugin's name.
    if (dispose) held.dispose = AsyncResource.bind(() => dispose(held.value))
    return held.value
  }

  #hold<V extends { value: unknown; dispose?: Held['dispose'] }>(
    holder: object,
    { kind, place: { plugin, name }, separator }: { kind: Kind; place: Place; separator: string },
    create: () => V,
    renew?: (held: V) => void,
  ): Held & V {
    const key = JSON.stringify([kind, plugin, separator, name])
    const known = this.#held.get(key) as (Held & V) | undefined
    if (known !== undefined) {
      renew?.(known)
      known.holders.add(holder)
      return known
    }
    const held = { ...create(), kind, plugin, name, holders: new Set([holder]) }
    if (kind !== 'object' && this.#isHeld(kind, plugin, name)) this.#onNewSchema({ plugin, name, schema: separator })
    this.#held.set(key, held)
    return held
  }

  #isHeld(kind: Kind, plugin: string, name: string): boolean {
    return [...this.#held.values()].some(held => held.kind === kind && held.plugin === plugin && held.name === name)
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
