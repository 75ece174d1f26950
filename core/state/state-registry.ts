/**
 * Everything that survives a reload: the stores and shared objects of all plugins, reference-counted by the generations
 * that use them.
 *
 * They belong to a plugin in one version of its code. A generation with the same code gets the same objects. One with
 * changed code gets new, empty ones, while the old ones live until the last generation with that code has drained.
 */
import { AsyncResource } from 'node:async_hooks'
import type { Store, StoreBounds } from '../contract/plugin.ts'
import { MemoryStore } from './memory-store.ts'

export { MemoryStore }

/** The handle of one plugin in one generation. */
export interface StateHolder {
  /** The store with this name; newer bounds replace its previous ones. Throws after `release`. */
  state<T>(name: string, bounds: StoreBounds<T>): Store<T>
  /**
   * The object with this name, created by `create` if missing; the newest `dispose` applies. Throws after `release`.
   */
  shared<T>(name: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T
  /** Releases everything. Resolves when everything without other holders is disposed of; never rejects. */
  release(): Promise<void>
}

/** The plugin that failed, and the operation. */
export interface StateFailure {
  plugin: string
  name: string
  during: 'dispose' | 'subscriber'
}

export interface StateRegistryOptions {
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number
  /** Milliseconds between two sweeps of expired entries. Default 1000. */
  sweepMs?: number
  onError?: (error: unknown, failure: StateFailure) => void
}

interface Held {
  readonly holders: Set<object>
}
interface HeldStore extends Held {
  readonly store: MemoryStore<unknown>
}
interface HeldObject extends Held {
  readonly value: unknown
  dispose: ((value: unknown) => void | Promise<void>) | undefined
}

export class StateRegistry {
  readonly #stores = new Map<string, HeldStore>()
  readonly #objects = new Map<string, HeldObject>()
  readonly #now: () => number
  readonly #onError: (error: unknown, failure: StateFailure) => void
  readonly #sweeper: NodeJS.Timeout

  constructor(options: StateRegistryOptions = {}) {
    this.#now = options.now ?? Date.now
    this.#onError = options.onError ?? (() => {})
    this.#sweeper = setInterval(() => this.sweep(), options.sweepMs ?? 1000).unref()
  }

  /** Creates the handle of one plugin, in one version of its code, in one generation (the number is for messages). */
  hold(generation: number, plugin: string, version: string): StateHolder {
    const holder = {}
    const keyOf = (name: string): string => {
      if (isReleased)
        throw new Error(`state "${name}" of ${plugin} requested after generation ${generation} was closed`)
      return JSON.stringify([plugin, version, name])
    }
    let isReleased = false
    return {
      state: <T>(name: string, bounds: StoreBounds<T>) =>
        this.#store(holder, keyOf(name), bounds, { plugin, name, during: 'subscriber' }),
      shared: (name, create, dispose) => this.#object(holder, keyOf(name), create, dispose),
      release: async () => {
        isReleased = true
        await this.#release(holder)
      },
    }
  }

  /** Removes a bounded number of expired entries of each store. Called by the timer. */
  sweep(): void {
    for (const { store } of this.#stores.values()) store.sweep()
  }

  /** The number of stores and objects. */
  counts(): { stores: number; shared: number } {
    return { stores: this.#stores.size, shared: this.#objects.size }
  }

  /** Stops the timer. */
  close(): void {
    clearInterval(this.#sweeper)
  }

  #store<T>(holder: object, key: string, bounds: StoreBounds<T>, failure: StateFailure): Store<T> {
    const held = this.#stores.get(key)
    if (held !== undefined) {
      // The same name in the same version of the code, so the type matches.
      const store = held.store as unknown as MemoryStore<T>
      store.setBounds(bounds)
      held.holders.add(holder)
      return store
    }
    const store = new MemoryStore<T>(bounds, { now: this.#now, onError: error => this.#onError(error, failure) })
    this.#stores.set(key, { store: store as unknown as MemoryStore<unknown>, holders: new Set([holder]) })
    return store
  }

  #object<T>(holder: object, key: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T {
    // Disposal happens when the last generation ends; its errors must still name the plugin.
    const bound = dispose && (AsyncResource.bind(dispose) as HeldObject['dispose'])
    const held = this.#objects.get(key)
    if (held !== undefined) {
      held.holders.add(holder)
      held.dispose = bound ?? held.dispose
      return held.value as T
    }
    const value = create()
    this.#objects.set(key, { value, dispose: bound, holders: new Set([holder]) })
    return value
  }

  async #release(holder: object): Promise<void> {
    dropUnheld(this.#stores, holder)
    await Promise.all(
      dropUnheld(this.#objects, holder).map(async ([key, { value, dispose }]) => {
        try {
          await dispose?.(value)
        } catch (error) {
          const [plugin, , name] = JSON.parse(key) as [string, string, string]
          this.#onError(error, { plugin, name, during: 'dispose' })
        }
      }),
    )
  }
}

/** Removes a holder from everything, and removes and returns what has no holders left. */
function dropUnheld<V extends Held>(held: Map<string, V>, holder: object): [string, V][] {
  const dropped: [string, V][] = []
  for (const [key, value] of held) {
    if (!value.holders.delete(holder) || value.holders.size > 0) continue
    held.delete(key)
    dropped.push([key, value])
  }
  return dropped
}
