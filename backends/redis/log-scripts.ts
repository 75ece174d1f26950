/**
 * Lua scripts of an event log. Entries that are appended together are one segment (`log-segment.ts`), because a command for
 * each of them would cost much more:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `L:s:<stream>` | sorted set | segments by the number of their last entry |
 * | `L:n` | hash | state of each stream (`s:<stream>`) and of all (`all`) |
 * | `L:o` | sorted set | streams by last append; not if a store without expiry owns the log |
 * | `L:f` | sorted set | streams that have entries, by last append; only if a store owns the log |
 */
import { loadScript } from './script.ts'

/** Bounds of a log as scripts read them. */
export interface LogScriptBounds {
  perStream: number
  bytesPerStream?: number
  count?: number
  bytes?: number
  /** Milliseconds. */
  ttl?: number
  /** Key of the store that the log belongs to. */
  of?: string
}

/**
 * Stream, text and sizes of a segment, own memory of the stream, number of skipped entries; repeated. Returns the number of
 * the last entry of each segment, or null.
 */
export const APPEND = loadScript('log-append.lua')

/** Stream, first number, number of entries. Returns the first number that is kept, then segments in this order. */
export const READ = loadScript('log-read.lua')

/** Stream, last number, number of entries. Like `READ`, back from the last number. */
export const READ_BACK = loadScript('log-read-back.lua')

/**
 * Stream. Returns whether it can exist, the number of its last entry, the number of its entries, and the bytes and the number
 * of the entries of all streams.
 */
export const INFO = loadScript('log-info.lua')

/**
 * Stream; number of the last entry of a segment, its sizes as they were read, its sizes and text without removed entries;
 * repeated. Returns how many entries were removed, and how many segments had changed meanwhile or were gone.
 */
export const REMOVE = loadScript('log-remove.lua')

/** Milliseconds. Renews the expiry of all keys. */
export const RENEW_LOG = loadScript('log-renew.lua')
