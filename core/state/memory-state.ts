/** State in the memory of one process. */
import { randomBytes } from 'node:crypto'
import type { EventLog, EventLogBounds, Replicated, ReplicatedOptions, Store, StoreBounds } from '../contract/plugin.ts'
import { MemoryEventLog } from './memory-event-log.ts'
import { MemoryStore } from './memory-store.ts'
import { Register } from './register.ts'
import { Channels, createLoneReplica } from './replicas.ts'
import type { Opened, Place, ReportFailure, StateBackend } from './state-backend.ts'
import { StrictEventLog } from './strict-event-log.ts'
import { StrictStore } from './strict-store.ts'

export interface MemoryStateOptions {
  /** The clock, in milliseconds. */
  now: () => number
  instanceId: string
  /** All values are checked for JSON and copied, and `change` functions run twice, as a shared store might do it. */
  isStrict: boolean
  isShared: boolean
  onError: ReportFailure
}

export class MemoryState implements StateBackend {
  readonly replicas
  readonly isShared: boolean
  readonly openChannel: StateBackend['openChannel']
  readonly #options: MemoryStateOptions
  readonly #sweeping = new Set<{ sweep(): void }>()
  readonly #memoryOf = new WeakMap<object, MemoryStore<unknown>>()
  readonly #secrets = new Map<string, Buffer>()

  constructor(options: MemoryStateOptions) {
    this.#options = options
    this.isShared = options.isShared
    this.replicas = createLoneReplica(options.instanceId)
    const channels = new Channels(this.replicas.self, {
      isStrict: options.isStrict,
      onError: (error, channel) => options.onError(error, { ...channel, during: 'message' }),
    })
    this.openChannel = (plugin, name, handler) => channels.open(plugin, name, handler)
  }

  openStore<T>(place: Place, bounds: StoreBounds<T>): Opened<Store<T>, StoreBounds<T>> {
    const memory = new MemoryStore<T>(bounds, { now: this.#options.now, onError: this.#errorsOf(place) })
    const value = this.#options.isStrict
      ? new StrictStore(memory, `state "${place.name}" of plugin ${place.plugin}`)
      : memory
    this.#memoryOf.set(value, memory as unknown as MemoryStore<unknown>)
    this.#sweeping.add(memory)
    return {
      value,
      setBounds: newer => memory.setBounds(newer),
      memoryUse: () => memory.memoryUse(),
      close: () => void this.#sweeping.delete(memory),
    }
  }

  openLog<T>(place: Place, bounds: EventLogBounds<T>): Opened<EventLog<T>, EventLogBounds<T>> {
    const owner = bounds.of && this.#memoryOf.get(bounds.of)
    if (bounds.of !== undefined && owner === undefined) throw foreignOwner(place)
    const memory = new MemoryEventLog<T>(bounds, { now: this.#options.now, onError: this.#errorsOf(place), owner })
    const value = this.#options.isStrict
      ? new StrictEventLog(memory, `event log "${place.name}" of plugin ${place.plugin}`)
      : memory
    this.#sweeping.add(memory)
    return {
      value,
      setBounds: newer => memory.setBounds(newer),
      memoryUse: () => memory.memoryUse(),
      close: () => {
        this.#sweeping.delete(memory)
        memory.close()
      },
    }
  }

  openRegister<T>(place: Place, options: ReplicatedOptions<T>): { value: Replicated<T>; ready: Promise<void> } {
    const value = new Register(options, {
      what: `register "${place.name}" of plugin ${place.plugin}`,
      isStrict: this.#options.isStrict,
      onError: this.#errorsOf(place),
    })
    return { value, ready: value.ready }
  }

  async secret(plugin: string, name: string): Promise<Buffer> {
    const key = JSON.stringify([plugin, name])
    const known = this.#secrets.get(key) ?? randomBytes(32)
    this.#secrets.set(key, known)
    return Buffer.from(known)
  }

  /** Removes a bounded number of expired entries of each store. */
  sweep(): void {
    for (const one of this.#sweeping) one.sweep()
  }

  async close(): Promise<void> {}

  #errorsOf({ plugin, name }: Place): (error: unknown) => void {
    return error => this.#options.onError(error, { plugin, name, during: 'subscriber' })
  }
}

/** The store of `of` was made elsewhere. */
export function foreignOwner({ name }: Place): TypeError {
  return new TypeError(`the store that event log "${name}" belongs to (of) is not made by svc.state`)
}
