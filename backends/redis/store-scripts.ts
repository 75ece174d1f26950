/**
 * Lua scripts of a store. All keys of a store share a hash tag, so a script can use them all:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `S:v` | hash | value of each entry |
 * | `S:m` | hash | `[bytes, group, deadline, version, bytes of the group, own ttl, spare, lost]` of each entry |
 * | `S:a` | sorted set | entries in insertion order, spare ones first |
 * | `S:u` | sorted set | entries by last use, with `evict: 'idle'` |
 * | `S:x` | sorted set | entries by deadline |
 * | `S:g:<group>` | sorted set | entries of a group |
 * | `S:n` | hash | counters: `seq`, `bytes`, `change` |
 *
 * `lost`: an update has lost a race since the entry was written.
 *
 * A full server refuses the first write of a script, so this is always the one that adds: nothing is left half done.
 */
import { loadScript } from './script.ts'

/** Bounds of a store as scripts read them. */
export interface ScriptBounds {
  count: number
  bytes?: number
  perGroup?: number
  /** Time to live in milliseconds. */
  ttl?: number
  /** A use restarts the time to live. */
  use: boolean
  evict: 'oldest' | 'idle' | 'expiring' | 'none'
  watched: boolean
  /** Names of the logs that belong to the store. */
  logs: readonly string[]
}

/**
 * Entry, value, condition (empty, `absent`, or the expected version, 0 for none), whether it is an update, options of `put`;
 * then name, bounds, stream, text, sizes and own memory of each segment that is appended to a log of the store.
 * Returns `[1, version]`, with a third `1` if another update has lost a race to the version before; `[0, 0]` if the value
 * exceeds the bounds; `[-1, version, value]` if the condition does not hold.
 */
export const PUT = loadScript('store-put.lua')

/** Entry, whether it counts as use. Returns `[value, version]` or null. */
export const GET = loadScript('store-get.lua')

/** Entry, expected version or empty. Removes it. Returns its value, null if there is none, or -1 for another version. */
export const TAKE = loadScript('store-take.lua')

/** Entry, summand, options of `put`. Returns the sum as text, or null if the value is not a number. */
export const INCREMENT = loadScript('store-increment.lua')

/**
 * Group or `-` for all, `1` for newest first, place after which the page begins or empty, maximum number of entries. Returns
 * the place of the next page (empty at the end), then entry, value and version of each.
 */
export const PAGE = loadScript('store-page.lua')

/** Pairs of entry and version. Removes those that still have this version; returns their number. */
export const DROP = loadScript('store-drop.lua')

/** Removes up to 1000 entries. Returns how many were removed, and how many of them had not expired. */
export const DROP_ALL = loadScript('store-drop-all.lua')

/** Group or `-`. Returns the number of entries, and the bytes of all. */
export const COUNT = loadScript('store-count.lua')

/** Removes up to 1000 expired entries. */
export const SWEEP = loadScript('store-sweep.lua')

/** Milliseconds. Renews the expiry of all keys, so that an abandoned deployment disappears. */
export const RENEW = loadScript('store-renew.lua')
