/** Where state is kept: in the memory of the process, or in a store that replicas share. */
import type { MemoryUse } from '../collections/memory-use.ts'
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

/** A plugin, and the name of what it keeps. */
export interface Place {
  plugin: string
  name: string
}

/** Something that a backend has opened. */
export interface Opened<V, Bounds> {
  value: V
  /** Applies newer bounds. */
  setBounds(bounds: Bounds): void
  /** What it holds. Rejects while a shared store is unavailable. */
  memoryUse?(): MemoryUse | Promise<MemoryUse>
  /** Resolves when it can be used. */
  ready?: Promise<void>
  close?(): void | Promise<void>
}

export interface StateBackend {
  readonly replicas: SvcReplicas
  /** Whether several replicas use this state. */
  readonly isShared: boolean
  openStore<T>(place: Place, bounds: StoreBounds<T>): Opened<Store<T>, StoreBounds<T>>
  openLog<T>(place: Place, bounds: EventLogBounds<T>): Opened<EventLog<T>, EventLogBounds<T>>
  openRegister<T>(
    place: Place,
    options: ReplicatedOptions<T>,
  ): { value: Replicated<T>; ready: Promise<void>; close?(): void }
  openChannel<M, R>(
    plugin: string,
    name: string,
    handler: ChannelHandler<M, R>,
  ): { channel: Channel<M, R>; close(): void }
  secret(plugin: string, name: string): Promise<Buffer>
  /** Removes expired entries. Called by a timer. */
  sweep(): void
  close(): Promise<void>
}

/** Receives errors of a plugin's callbacks. */
export type ReportFailure = (
  error: unknown,
  failure: { plugin: string; name: string; during: 'subscriber' | 'message' },
) => void
