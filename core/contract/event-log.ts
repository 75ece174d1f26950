/** `svc.eventLog`: logs of numbered entries that survive reloads. */
import type { Store } from './state.ts'

/** Bounds of a log. The oldest entries are dropped first: those of the stream, then those of the stream used least recently. */
export interface EventLogBounds<T> {
  /** Maximum number of entries of a stream. */
  maxPerStream: number
  /** Maximum memory use of a stream in bytes. */
  maxBytesPerStream?: number
  /** Maximum number of entries of all streams, and of streams. Required without `of`. */
  maxCount?: number
  /** Maximum memory use of all streams in bytes. */
  maxBytes?: number
  /** Time to live of a stream in milliseconds, counted from its last `append`. */
  ttlMs?: number
  /** Returns the memory use of a value in bytes. Without it, the log copies and measures values, which must be plain data. */
  sizeOf?: (value: T) => number
  /** A stream exists as long as this store has an entry with its name. */
  of?: Store<never> | Store<unknown>
  /**
   * Entries reach a shared store some milliseconds later, many at once. `append` then resolves to undefined at once, and the
   * value must not change afterwards. Of more entries than `maxPerStream`, only the last ones are sent.
   */
  batched?: boolean
  /** See `StoreBounds.schema`. */
  schema?: number
}

export interface LoggedEvent<T> {
  /** Number in the stream, from 1. Numbers are not reused; gaps are dropped entries. */
  seq: number
  value: T
}

export interface StreamInfo {
  lastSeq: number
  count: number
}

/** A log of named streams. Entries are appended and never change. */
export interface EventLog<T> {
  /** Returns the number of the entry; undefined if `of` has no such entry or the log is batched. */
  append(stream: string, value: T): Promise<number | undefined>
  /** Returns entries, newest first. */
  newest(stream: string, limit: number, where?: (value: T) => boolean): Promise<LoggedEvent<T>[]>
  /** Returns entries with greater numbers, oldest first. Default limit: 100. */
  after(stream: string, seq: number, limit?: number): Promise<LoggedEvent<T>[]>
  /** Returns the newest matching entry. */
  find(stream: string, where: (value: T) => boolean): Promise<LoggedEvent<T> | undefined>
  /** Returns the number of the last entry (0 if there never was one) and how many entries are stored. */
  info(stream: string): Promise<StreamInfo>
  /** Removes matching entries, or all. Returns the number of removed entries. Numbering continues. */
  clear(stream: string, where?: (value: T) => boolean): Promise<number>
  /**
   * Delivers every entry after the number `after` in order: first the stored ones, then new ones. Null delivers only new ones.
   * Calls `ended` once when the stream ends: its entry of `of` was removed, or it expired. Returns a function that stops.
   */
  follow(stream: string, after: number | null, on: (seq: number, value: T) => void, ended: () => void): () => void
  /** Memory use of all streams in bytes, as counted for `maxBytes`. */
  bytes(): Promise<number>
}
