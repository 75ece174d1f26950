/** Bounded data that outlive a reload: `svc.state`. */

/** How much a store may hold. What is over a bound is evicted, starting with the entry that comes first in `evict`'s order. */
export interface StoreBounds<T> {
  maxCount: number
  /**
   * Bytes of memory of all entries: values, keys, groups and the store's own records. Without `sizeOf`, values must be plain
   * data: the store copies and measures them.
   */
  maxBytes?: number
  /** Bytes of a value, called when it is set. The value is then kept as it is. */
  sizeOf?: (value: T, key: string) => number
  /** Milliseconds an entry lives: since it was set, or since it was last used when `ttlFrom` is `use`. */
  ttlMs?: number
  ttlFrom?: 'set' | 'use'
  /** Entries of one group (a session) at most; the group's own oldest goes first. */
  maxPerGroup?: number
  /** `oldest`: by first insertion; `idle`: by last use; `expiring`: by the end of its life. Default `oldest`. */
  evict?: 'oldest' | 'idle' | 'expiring'
  /**
   * What the values mean, as a number. Code that can't read the values of older code raises it. Replicas with the same number
   * share the store, whatever their version. Default 1.
   */
  schema?: number
  /** Keys and values are credentials: where the store is shared, keys are hashed and values encrypted. */
  secret?: boolean
  /** Whether changes can be subscribed to. */
  watched?: boolean
  /** The value of a key never changes, so a value that was read may be kept. */
  immutable?: boolean
}

export interface PutOptions {
  /** Counted together by `maxPerGroup`, and listed by `list({ group })`. Default: that of the present entry. */
  group?: string
  /** Milliseconds this entry lives, instead of `ttlMs` of the bounds. */
  ttlMs?: number
  /**
   * Whether the entry is evicted before entries that are not spare (with `evict: 'oldest'`, and within its group). An entry
   * that becomes spare comes last among the spare ones. Default: false for `set` and `add`, unchanged for `update`.
   */
  spare?: boolean
}

/**
 * A named, bounded map. Methods return promises, because the map may live in a store that several replicas share
 * (`SVC_STATE_STORE`). Write code that works there too:
 *
 * - values are plain JSON, and what `get` returns is yours: changing it changes nothing in the store;
 * - `change` functions are pure, since they may run more than once;
 * - nothing but the returned values tells what happened: another replica may be writing too.
 *
 * In one process values are kept as they are. `svc/testing` checks these rules (`strictState`).
 */
export interface Store<T> {
  get(key: string): Promise<T | undefined>
  /** Reads without counting as use. */
  peek(key: string): Promise<T | undefined>
  /** Restarts the entry's life. A value that alone exceeds the bounds is evicted at once, and nothing else is. */
  set(key: string, value: T, options?: PutOptions): Promise<void>
  /** Sets only a key that is absent; returns whether it did. */
  add(key: string, value: T, options?: PutOptions): Promise<boolean>
  /** Removes and returns the value: of several callers exactly one gets it. */
  take(key: string): Promise<T | undefined>
  /**
   * Replaces the value by what `change` returns, atomically; undefined removes the entry. An entry keeps its remaining life,
   * unless `ttlMs` or, with `ttlFrom: 'use'`, this use renews it.
   */
  update(key: string, change: (current: T | undefined) => T | undefined, options?: PutOptions): Promise<T | undefined>
  /**
   * Adds `by` (default 1) to a number, which is 0 where the key is absent, and returns the sum. Rejects with a TypeError if the
   * value is not a number.
   */
  increment(this: Store<number>, key: string, by?: number, options?: PutOptions): Promise<number>
  delete(key: string): Promise<boolean>
  /** Entries in insertion order, spare ones first; or newest first. */
  list(options?: {
    group?: string
    limit?: number
    newestFirst?: boolean
    where?: (value: T, key: string) => boolean
  }): Promise<{ key: string; value: T }[]>
  /** Removes the entries that match, or all; returns how many. */
  clear(where?: (value: T, key: string) => boolean): Promise<number>
  /** Number of entries, of one group or of all. */
  count(options?: { group?: string }): Promise<number>
  /** Bytes as `maxBytes` counts them. */
  bytes(): Promise<number>
  /** Calls back after every change, in order; returns how to stop that. Throws unless the bounds say `watched`. */
  subscribe(listener: (change: StoreChange<T>) => void): () => void
}

/** A change, or `reset`: changes may have been missed (the shared store was away), so read again. */
export type StoreChange<T> =
  | { kind: 'set' | 'deleted' | 'evicted' | 'expired'; key: string; value: T }
  | { kind: 'reset' }

/** The shared store can't do what was asked, now. Routes need not catch it: the core answers 503. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable'
  /** `STATE_FULL`: writes fail, reads go on. */
  readonly code: 'STATE_UNAVAILABLE' | 'STATE_FULL'
  readonly reason: 'away' | 'timeout' | 'full' | 'contended'

  constructor(reason: StateUnavailable['reason'], message = `the state store is unavailable (${reason})`) {
    super(message)
    this.code = reason === 'full' ? 'STATE_FULL' : 'STATE_UNAVAILABLE'
    this.reason = reason
  }
}
