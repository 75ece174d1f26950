/** Numbered entries that are appended and read by others: `svc.eventLog`. */
import type { Store } from './state.ts'

/** How much a log may hold. The oldest entries go first: those of the stream, then those of the stream used least recently. */
export interface EventLogBounds<T> {
  maxPerStream: number
  /** Bytes of memory of one stream. */
  maxBytesPerStream?: number
  /** Entries of all streams. */
  maxCount?: number
  /** Bytes of memory of all streams. */
  maxBytes?: number
  /** Milliseconds a stream lives after its last `append`. */
  ttlMs?: number
  /** Bytes of a value. Default: values are plain data, copied and measured by the log. */
  sizeOf?: (value: T) => number
  /** A stream exists as long as the entry of this store with the stream's name. */
  of?: Store<never> | Store<unknown>
  /** Entries may arrive in the shared store some milliseconds later, many at once. `append` then resolves to 0. */
  batched?: boolean
  /** See `StoreBounds.schema`. */
  schema?: number
}

export interface LoggedEvent<T> {
  /** Its number in the stream, from 1. Numbers are never used twice, and gaps appear only where entries were dropped. */
  seq: number
  value: T
}

/** Appends entries to named streams; entries never change. */
export interface EventLog<T> {
  /** Returns the entry's number; undefined if `of` has no such entry. */
  append(stream: string, value: T): Promise<number | undefined>
  /** Newest first. */
  newest(stream: string, limit: number, where?: (value: T) => boolean): Promise<LoggedEvent<T>[]>
  /** Entries with greater numbers, oldest first. Default limit 100. */
  after(stream: string, seq: number, limit?: number): Promise<LoggedEvent<T>[]>
  /** The newest entry that matches. */
  find(stream: string, where: (value: T) => boolean): Promise<LoggedEvent<T> | undefined>
  /** Removes the entries that match, or all; returns how many. The stream goes on counting. */
  clear(stream: string, where?: (value: T) => boolean): Promise<number>
  /**
   * Delivers every entry after the number `after` in order, first those that are kept, then new ones; null: only new ones.
   * `ended` is called once when the stream ends (its entry of `of` is gone, or its life is over). Returns how to stop.
   */
  follow(stream: string, after: number | null, on: (seq: number, value: T) => void, ended: () => void): () => void
}
