/** `svc.state`: bounded stores that survive reloads. */
import type { EventLog } from './event-log.ts'

/** Bounds of a store. Entries above a bound are evicted in the order that `evict` selects. */
export interface StoreBounds<T> {
  /** Maximum number of entries. */
  maxCount: number
  /**
   * Maximum memory use of all entries in bytes: values, keys and the overhead of the store. Without `sizeOf`, the store
   * copies and measures each value, which must be plain data (strings, numbers, booleans, null, arrays, objects).
   */
  maxBytes?: number
  /**
   * Returns the memory use of a value in bytes. Called when the value is set. Use it for values that are not plain data or
   * whose size is known; the store does not copy them. `heldBytes` returns the size of a string. A substring keeps the
   * whole original string in memory: copy it with `copyText`.
   */
  sizeOf?: (value: T, key: string) => number
  /** Time to live of an entry in milliseconds, counted from when it was set or, if `ttlFrom` is `use`, last used. */
  ttlMs?: number
  ttlFrom?: 'set' | 'use'
  /** Maximum number of entries of one group, such as a session. The oldest entry of the group is evicted. */
  maxPerGroup?: number
  /**
   * What is evicted first: the entry inserted first, used least recently, or expiring first. With `none` nothing is: a write
   * above a bound is not kept, and `add` returns false. Default: `oldest`.
   */
  evict?: 'oldest' | 'idle' | 'expiring' | 'none'
  /**
   * Version of the format of the values. Increase it if new code cannot read values of older code. Replicas with the same
   * number share the store, whatever their version. Default: 1.
   */
  schema?: number
  /** Keys and values are credentials: a shared store hashes the keys and encrypts the values. */
  secret?: boolean
  /** Required for `subscribe`. */
  watched?: boolean
  /** The value of a key never changes, so replicas may cache it. */
  immutable?: boolean
}

export interface AppendedEntry {
  log: EventLog<never> | EventLog<unknown>
  value: unknown
}

export interface PutOptions {
  /** Group for `maxPerGroup`, `list` and `count`. Default: the group of the existing entry. */
  group?: string
  /** Time to live of this entry in milliseconds, instead of that of the bounds. */
  ttlMs?: number
  /**
   * Spare entries are evicted before others (with `evict: 'oldest'`, and within their group). An entry that becomes spare
   * is last among the spare ones. Default: false for `set` and `add`, unchanged for `update`.
   */
  spare?: boolean
  /**
   * Only with `update`: entries for logs that belong to this store (`of`), in this order. They are appended if and only if the
   * value is written.
   */
  append?: AppendedEntry | readonly AppendedEntry[]
}

/**
 * A named, bounded map. Methods return promises because several replicas may share it (`SVC_STATE_STORE`). Code that works
 * with a shared store follows three rules, which `svc/testing` checks (`strictState`):
 *
 * - Values are plain JSON. A value that was read is a copy: changing it does not change the store.
 * - `change` functions are pure, because they may run more than once.
 * - Another replica may write at any time, so only returned values tell what happened.
 *
 * Without a shared store, values are not copied unless `maxBytes` requires it.
 */
export interface Store<T> {
  get(key: string): Promise<T | undefined>
  /** Like `get`, but does not count as use. */
  peek(key: string): Promise<T | undefined>
  /** Sets a value and restarts its time to live. A value that exceeds the bounds on its own is not kept and evicts nothing. */
  set(key: string, value: T, options?: PutOptions): Promise<void>
  /** Sets a value only if the key is absent. Returns whether it was set. */
  add(key: string, value: T, options?: PutOptions): Promise<boolean>
  /** Removes and returns the value. If several callers race, exactly one gets it. */
  take(key: string): Promise<T | undefined>
  /**
   * Replaces the value atomically with the result of `change`; undefined removes the entry. The time to live continues
   * unless `ttlMs` is given. With `ttlFrom: 'use'` it restarts.
   */
  update(key: string, change: (current: T | undefined) => T | undefined, options?: PutOptions): Promise<T | undefined>
  /** Adds `by` (default 1) to a number, 0 if absent, and returns the sum. Rejects with a TypeError for other values. */
  increment(this: Store<number>, key: string, by?: number, options?: PutOptions): Promise<number>
  delete(key: string): Promise<boolean>
  /** Returns entries in insertion order, spare ones first; or newest first. */
  list(options?: {
    group?: string
    limit?: number
    newestFirst?: boolean
    where?: (value: T, key: string) => boolean
  }): Promise<{ key: string; value: T }[]>
  /** Removes matching entries, or all without an argument. Returns the number of removed entries. */
  clear(where?: (value: T, key: string) => boolean): Promise<number>
  /** Number of entries of a group, or of all. */
  count(options?: { group?: string }): Promise<number>
  /** Memory use in bytes, as counted for `maxBytes`. 0 if neither `maxBytes` nor `sizeOf` is set. */
  bytes(): Promise<number>
  /**
   * Calls `listener` after every change, in order. Returns a function that removes the listener. Throws unless the bounds
   * have `watched: true`.
   */
  subscribe(listener: (change: StoreChange<T>) => void): () => void
  /**
   * The entries of one group, as a store with keys of its own: different groups may have the same keys. The bounds are those
   * of this store, and `bytes` is its memory. A key in this store is the group, a line feed, and the key in the group. Throws a
   * TypeError if the group contains a line feed; a group has no groups.
   */
  within(group: string): Store<T>
}

/** A change of a store, for subscribers. After `reset` changes may have been missed: read the store again. */
export type StoreChange<T> =
  | { kind: 'set' | 'deleted' | 'evicted' | 'expired'; key: string; value: T }
  | { kind: 'reset' }

/** The shared store is unavailable or full. Routes need not catch it: the core responds with 503. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  /** `STATE_FULL`: writes fail, reads succeed. */
  readonly code: 'STATE_UNAVAILABLE' | 'STATE_FULL'
  readonly reason: 'away' | 'timeout' | 'full' | 'contended'

  constructor(reason: StateUnavailable['reason'], message = `the state store is unavailable (${reason})`) {
    super(message)
    this.code = reason === 'full' ? 'STATE_FULL' : 'STATE_UNAVAILABLE'
    this.reason = reason
  }
}
