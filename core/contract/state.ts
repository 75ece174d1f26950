/** `svc.state`: bounded stores that survive reloads. */

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
  /** What is evicted first: the entry inserted first, used least recently, or expiring first. Default: `oldest`. */
  evict?: 'oldest' | 'idle' | 'expiring'
}

/** A named, bounded map. It is asynchronous so that an implementation can share data between replicas. */
export interface Store<T> {
  get(key: string): Promise<T | undefined>
  /** Like `get`, but does not count as use. */
  peek(key: string): Promise<T | undefined>
  /** Sets a value and restarts its time to live. A value that exceeds the bounds on its own is not kept and evicts nothing. */
  set(key: string, value: T, options?: { group?: string; ttlMs?: number }): Promise<void>
  /** Sets a value only if the key is absent. Returns whether it was set. */
  add(key: string, value: T, options?: { group?: string; ttlMs?: number }): Promise<boolean>
  /** Removes and returns the value. If several callers race, exactly one gets it. */
  take(key: string): Promise<T | undefined>
  /**
   * Replaces the value atomically with the result of `change`; undefined removes the entry. The time to live continues
   * unless `ttlMs` is given. With `ttlFrom: 'use'` it restarts.
   */
  update(
    key: string,
    change: (current: T | undefined) => T | undefined,
    options?: { group?: string; ttlMs?: number },
  ): Promise<T | undefined>
  delete(key: string): Promise<boolean>
  /** Returns entries in insertion order, or newest first. */
  list(options?: {
    group?: string
    limit?: number
    newestFirst?: boolean
    where?: (value: T, key: string) => boolean
  }): Promise<{ key: string; value: T }[]>
  /** Removes matching entries, or all without an argument. Returns the number of removed entries. */
  clear(where?: (value: T, key: string) => boolean): Promise<number>
  count(): Promise<number>
  /** Memory use in bytes, as counted for `maxBytes`. 0 if neither `maxBytes` nor `sizeOf` is set. */
  bytes(): Promise<number>
  /** Calls `listener` after every change, in order. Returns a function that removes the listener. */
  subscribe(listener: (change: StoreChange<T>) => void): () => void
}
/** A change of a store, for subscribers. */
export interface StoreChange<T> {
  kind: 'set' | 'deleted' | 'evicted' | 'expired'
  key: string
  value: T
}
