/** Bounded data that outlive a reload: `svc.state`. */

/** How much a store may hold. What is over a bound is evicted, the entry that comes first in `evict`'s order. */
export interface StoreBounds<T> {
  maxCount: number
  /**
   * Bytes of memory that all entries hold: values, keys, and what the store itself needs for each. Without `sizeOf` the store
   * keeps a copy of each value and measures it; values must be plain data (strings, numbers, booleans, null, arrays, objects).
   */
  maxBytes?: number
  /**
   * Bytes of memory that a value holds, asked when it is set; for values that know their size, or are more than plain data. They
   * are kept as they are: `heldBytes` tells what a text costs, and a text cut from a larger one holds that until `copyText`.
   */
  sizeOf?: (value: T, key: string) => number
  /** Milliseconds an entry lives: since it was set, or since it was last used when `ttlFrom` is `use`. */
  ttlMs?: number
  ttlFrom?: 'set' | 'use'
  /** Entries of one group (a session) at most; the group's own oldest goes first. */
  maxPerGroup?: number
  /** `oldest`: by first insertion; `idle`: by last use; `expiring`: by the end of its life. Default `oldest`. */
  evict?: 'oldest' | 'idle' | 'expiring'
}

/** A named, bounded map. Answers promises, so that another implementation can serve several replicas. */
export interface Store<T> {
  get(key: string): Promise<T | undefined>
  /** Looks without counting as use. */
  peek(key: string): Promise<T | undefined>
  /** Starts the entry's life anew. A value that is over the bounds by itself is evicted at once, nothing else for it. */
  set(key: string, value: T, options?: { group?: string; ttlMs?: number }): Promise<void>
  /** Sets only a key that is absent; answers whether it did. */
  add(key: string, value: T, options?: { group?: string; ttlMs?: number }): Promise<boolean>
  /** Removes and answers the value: of several callers exactly one gets it. */
  take(key: string): Promise<T | undefined>
  /**
   * Replaces the value by what `change` answers, with nobody between; undefined removes it. An entry
   * keeps the life that it has, unless `ttlMs` or, with `ttlFrom: 'use'`, this use renews it.
   */
  update(
    key: string,
    change: (current: T | undefined) => T | undefined,
    options?: { group?: string; ttlMs?: number },
  ): Promise<T | undefined>
  delete(key: string): Promise<boolean>
  /** Entries in insertion order, or newest first. */
  list(options?: {
    group?: string
    limit?: number
    newestFirst?: boolean
    where?: (value: T, key: string) => boolean
  }): Promise<{ key: string; value: T }[]>
  /** Removes what matches, all without an argument; answers how many. */
  clear(where?: (value: T, key: string) => boolean): Promise<number>
  count(): Promise<number>
  /** Bytes of memory held, as `maxBytes` counts them; 0 without both `maxBytes` and `sizeOf`. */
  bytes(): Promise<number>
  /** Calls back after every change, in order; answers how to stop that. */
  subscribe(listener: (change: StoreChange<T>) => void): () => void
}
export interface StoreChange<T> {
  kind: 'set' | 'deleted' | 'evicted' | 'expired'
  key: string
  value: T
}
