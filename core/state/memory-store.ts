/**
 * A bounded map in memory.
 *
 * The cost of an operation does not depend on the number of entries: links keep the orders of age, use and group, and a
 * heap keeps the order of expiry. Each operation completes within one turn of the event loop, so none is interrupted.
 * The promises allow for implementations that call another process.
 */
import type { AppendedEntry, EventLog, PutOptions, Store, StoreBounds, StoreChange } from '../contract/plugin.ts'
import { copyData, type DataCopy } from '../collections/value-memory.ts'
import { DeadlineQueue } from '../collections/deadline-queue.ts'
import { LinkedList } from '../collections/linked-list.ts'
import { estimateBytes } from '../collections/estimate.ts'
import { copyText, heldBytes } from '../collections/text-memory.ts'
import type { MemoryUse } from '../collections/memory-use.ts'
import { AgeOrder, firstOtherThan } from './age-order.ts'
import { ChangeFeed } from './change-feed.ts'
import { Entry } from './entry.ts'
import { storeWithin } from './store-within.ts'

export interface MemoryStoreOptions {
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number
  /** Receives exceptions of subscribers. The change stays in effect, and the other subscribers are still notified. */
  onError?: (error: unknown) => void
}

/** Memory of an entry without its key and value: the record, its links, its places in the map and the queue. */
export const ENTRY_BYTES = 384
/**
 * Memory of a group without its name, and of the link of the entry in it. Counted for each entry, because each may be
 * alone in its group.
 */
export const GROUP_BYTES = 192

/**
 * Maximum number of entries that one timed sweep removes. The others are invisible anyway, because every access removes
 * expired entries first.
 */
const SWEEP_LIMIT = 1000

type RemovalKind = 'deleted' | 'evicted' | 'expired'

export class MemoryStore<T> implements Store<T> {
  #bounds: StoreBounds<T>
  readonly #now: () => number
  readonly #entries = new Map<string, Entry<T>>()
  readonly #byAge = new AgeOrder<Entry<T>>()
  readonly #byUse = new LinkedList<Entry<T>>()
  readonly #groups = new Map<string, AgeOrder<Entry<T>>>()
  readonly #expiry = new DeadlineQueue<Entry<T>>()
  #bytes = 0
  readonly #changes: ChangeFeed<T>
  readonly #removed = new Set<(key: string) => void>()

  constructor(bounds: StoreBounds<T>, options: MemoryStoreOptions = {}) {
    this.#bounds = bounds
    this.#now = options.now ?? Date.now
    this.#changes = new ChangeFeed(options.onError ?? (() => {}))
  }

  async get(key: string): Promise<T | undefined> {
    const entry = this.#live(key)
    if (entry === undefined) return undefined
    this.#byUse.moveToEnd(entry.byUse)
    if (this.#bounds.ttlFrom === 'use') this.#renew(entry)
    return entry.value
  }

  async peek(key: string): Promise<T | undefined> {
    return this.#live(key)?.value
  }

  async set(key: string, value: T, options: PutOptions = {}): Promise<void> {
    this.#put(key, value, options, 'set')
  }

  async add(key: string, value: T, options: PutOptions = {}): Promise<boolean> {
    if (this.#live(key) !== undefined) return false
    return this.#put(key, value, options, 'set')
  }

  async take(key: string): Promise<T | undefined> {
    const entry = this.#live(key)
    if (entry !== undefined) this.#remove(entry, 'deleted')
    return entry?.value
  }

  async update(
    key: string,
    change: (current: T | undefined) => T | undefined,
    options: PutOptions = {},
  ): Promise<T | undefined> {
    const value = change(this.#live(key)?.value)
    if (value !== undefined) {
      const { append } = options
      if (this.#put(key, value, options, 'updated') && append !== undefined) await appendAll(key, [append].flat())
      return value
    }
    const entry = this.#live(key)
    if (entry !== undefined) this.#remove(entry, 'deleted')
    return undefined
  }

  async increment(this: MemoryStore<number>, key: string, by = 1, options: PutOptions = {}): Promise<number> {
    return (await this.update(key, (current = 0) => sum(key, current, by), options))!
  }

  async delete(key: string): Promise<boolean> {
    const entry = this.#live(key)
    if (entry !== undefined) this.#remove(entry, 'deleted')
    return entry !== undefined
  }

  async list(
    options: { group?: string; limit?: number; newestFirst?: boolean; where?: (value: T, key: string) => boolean } = {},
  ): Promise<{ key: string; value: T }[]> {
    this.#dropExpired()
    const { where, limit = Infinity } = options
    const entries = options.group === undefined ? this.#byAge : this.#groups.get(options.group)
    const found: { key: string; value: T }[] = []
    if (entries === undefined || !(limit > 0)) return found
    for (const { key, value } of entries.values(options.newestFirst)) {
      if (where !== undefined && !where(value, key)) continue
      found.push({ key, value })
      if (found.length >= limit) break
    }
    return found
  }

  async clear(where?: (value: T, key: string) => boolean): Promise<number> {
    this.#dropExpired()
    const matching = [...this.#entries.values()].filter(entry => where === undefined || where(entry.value, entry.key))
    for (const entry of matching) this.#remove(entry, 'deleted')
    return matching.length
  }

  async count({ group }: { group?: string } = {}): Promise<number> {
    this.#dropExpired()
    return group === undefined ? this.#entries.size : (this.#groups.get(group)?.size ?? 0)
  }

  async bytes(): Promise<number> {
    this.#dropExpired()
    return this.#bytes
  }

  /** Includes expired entries that were not removed yet, because they take memory. */
  memoryUse(): MemoryUse {
    const entries = this.#entries.size
    if (isMeasured(this.#bounds)) return { entries, bytes: this.#bytes }
    return { entries, bytes: estimateBytes(this.#entries.values(), entries, entry => entry.value, overheadOf) }
  }

  /** Whether the key exists. */
  has(key: string): boolean {
    return this.#live(key) !== undefined
  }

  /** Calls `listener` with the key of every entry that is removed, for any reason. Returns a function that removes it. */
  onRemoved(listener: (key: string) => void): () => void {
    this.#removed.add(listener)
    return () => void this.#removed.delete(listener)
  }

  within(group: string): Store<T> {
    return storeWithin(this, group)
  }

  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    if (!this.#bounds.watched) throw new Error('cannot subscribe to a store without "watched: true" in its bounds')
    return this.#changes.subscribe(listener)
  }

  /** Applies new bounds: evicts what exceeds them, and recomputes lifetimes and sizes. Takes O(n). */
  setBounds(bounds: StoreBounds<T>): void {
    const isKept = measuresItself(this.#bounds) && measuresItself(bounds)
    this.#bounds = bounds
    this.#bytes = 0
    for (const entry of this.#byAge.values()) {
      if (!isKept) ({ copy: entry.value, bytes: entry.bytes } = this.#measure(entry.key, entry.value, entry.group))
      this.#bytes += entry.bytes
      this.#updateExpiry(entry)
    }
    this.#dropExpired()
    for (const group of this.#groups.values()) this.#trimGroup(group, null)
    this.#trim(null)
  }

  /** Removes a bounded number of expired entries; called by a timer. */
  sweep(): void {
    this.#dropExpired(SWEEP_LIMIT)
  }

  // -------------------------------------------------------------------------------------------------- single entries

  #live(key: string): Entry<T> | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.expiresAt > this.#now()) return entry
    this.#remove(entry, 'expired')
    return undefined
  }

  /**
   * Writes an entry and then evicts others to satisfy the bounds. The entry just written stays, however old its key is.
   * An entry that exceeds the bounds on its own is not stored and evicts nothing. Returns whether it was stored.
   */
  #put(key: string, value: T, options: PutOptions, by: 'set' | 'updated'): boolean {
    this.#dropExpired()
    const present = this.#entries.get(key)
    const group = options.group ?? present?.group ?? null
    const { copy: kept, bytes } = this.#measure(key, value, group)
    if (this.#bounds.evict === 'none' && !this.#hasRoom(present, group, bytes)) return false
    if (!this.#canHold(bytes, group)) {
      if (present !== undefined) this.#detach(present)
      this.#publishRemoval('evicted', key, value)
      return false
    }
    // A key may be cut from the text of a whole request.
    const isSpare = options.spare ?? (by === 'updated' && present?.byAge.isSpare === true)
    const entry = present ?? new Entry(copyText(key), kept, isSpare, this.#byAge, this.#byUse)
    if (present === undefined) this.#entries.set(entry.key, entry)
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    entry.value = kept
    this.#byUse.moveToEnd(entry.byUse)
    const isRanked = entry.byAge.isSpare === isSpare
    if (!isRanked) {
      this.#byAge.remove(entry.byAge)
      entry.byAge = this.#byAge.push(entry, isSpare)
    }
    if (group !== entry.group || !isRanked) this.#moveToGroup(entry, group)
    const keepsLife = by === 'updated' && present !== undefined && options.ttlMs === undefined
    if (!keepsLife) entry.ttlMs = options.ttlMs
    if (!keepsLife || this.#bounds.ttlFrom === 'use') this.#renew(entry)
    this.#changes.publish({ kind: 'set', key, value: kept })
    if (group !== null) this.#trimGroup(this.#groups.get(group), entry)
    this.#trim(entry)
    return true
  }

  /** The stored copy of a value, and the memory of the whole entry. */
  #measure(key: string, value: T, group: string | null): DataCopy<T> {
    if (!isMeasured(this.#bounds)) return { copy: value, bytes: 0 }
    const { sizeOf } = this.#bounds
    const own = sizeOf === undefined ? copyData(value) : { copy: value, bytes: sizeOf(value, key) }
    return { copy: own.copy, bytes: own.bytes + overheadOf({ key, group }) }
  }

  #canHold(bytes: number, group: string | null): boolean {
    const { maxCount, maxBytes = Infinity, maxPerGroup = Infinity } = this.#bounds
    return maxCount >= 1 && bytes <= maxBytes && (group === null || maxPerGroup >= 1)
  }

  #hasRoom(present: Entry<T> | undefined, group: string | null, bytes: number): boolean {
    const { maxCount, maxBytes = Infinity, maxPerGroup = Infinity } = this.#bounds
    if (this.#entries.size + (present === undefined ? 1 : 0) > maxCount) return false
    if (this.#bytes + bytes - (present?.bytes ?? 0) > maxBytes) return false
    return group === null || present?.group === group || (this.#groups.get(group)?.size ?? 0) < maxPerGroup
  }

  #remove(entry: Entry<T>, kind: RemovalKind): void {
    this.#detach(entry)
    this.#publishRemoval(kind, entry.key, entry.value)
  }

  #publishRemoval(kind: RemovalKind, key: string, value: T): void {
    for (const listener of this.#removed) listener(key)
    this.#changes.publish({ kind, key, value })
  }

  #detach(entry: Entry<T>): void {
    this.#entries.delete(entry.key)
    this.#byAge.remove(entry.byAge)
    this.#byUse.remove(entry.byUse)
    this.#expiry.remove(entry)
    this.#moveToGroup(entry, null)
    this.#bytes -= entry.bytes
  }

  #moveToGroup(entry: Entry<T>, name: string | null): void {
    if (entry.group !== null && entry.inGroup !== null) {
      const left = this.#groups.get(entry.group)
      left?.remove(entry.inGroup)
      if (left?.size === 0) this.#groups.delete(entry.group)
    }
    entry.group = null
    entry.inGroup = null
    if (name === null) return
    const found = this.#groups.get(name)
    const group = found ?? new AgeOrder<Entry<T>>()
    entry.group = found?.first(null)?.group ?? copyText(name)
    if (found === undefined) this.#groups.set(entry.group, group)
    entry.inGroup = group.push(entry, entry.byAge.isSpare)
  }

  // ------------------------------------------------------------------------------------------------ bounds and expiry

  #trim(kept: Entry<T> | null): void {
    const { maxCount, maxBytes = Infinity } = this.#bounds
    while (this.#entries.size > maxCount || this.#bytes > maxBytes) {
      const victim = this.#victim(kept)
      if (victim === undefined) return
      this.#remove(victim, 'evicted')
    }
  }

  #victim(kept: Entry<T> | null): Entry<T> | undefined {
    const { evict } = this.#bounds
    const first = evict === 'expiring' ? this.#firstToExpire(kept) : undefined
    return first ?? (evict === 'idle' ? firstOtherThan(this.#byUse, kept) : this.#byAge.first(kept))
  }

  /** Undefined if no other entry ever expires. */
  #firstToExpire(kept: Entry<T> | null): Entry<T> | undefined {
    if (kept === null || kept.place < 0) return this.#expiry.first
    this.#expiry.remove(kept)
    const { first } = this.#expiry
    this.#expiry.add(kept)
    return first
  }

  #trimGroup(group: AgeOrder<Entry<T>> | undefined, kept: Entry<T> | null): void {
    const { maxPerGroup = Infinity } = this.#bounds
    while (group !== undefined && group.size > maxPerGroup) {
      const victim = group.first(kept)
      if (victim === undefined) return
      this.#remove(victim, 'evicted')
    }
  }

  #renew(entry: Entry<T>): void {
    entry.since = this.#now()
    this.#updateExpiry(entry)
  }

  #updateExpiry(entry: Entry<T>): void {
    entry.expiresAt = entry.since + (entry.ttlMs ?? this.#bounds.ttlMs ?? Infinity)
    const isQueued = entry.place >= 0
    if (entry.expiresAt === Infinity) return this.#expiry.remove(entry)
    if (isQueued && entry.dueAt <= entry.expiresAt) return
    entry.dueAt = entry.expiresAt
    if (isQueued) this.#expiry.moved(entry)
    else this.#expiry.add(entry)
  }

  #dropExpired(limit = Infinity): void {
    if (this.#expiry.size === 0) return
    const now = this.#now()
    for (let seen = 0; seen < limit; seen += 1) {
      const entry = this.#expiry.first
      if (entry === undefined || entry.dueAt > now) return
      if (entry.expiresAt <= now) {
        this.#remove(entry, 'expired')
        continue
      }
      entry.dueAt = entry.expiresAt
      this.#expiry.moved(entry)
    }
  }
}

function isMeasured<T>({ maxBytes, sizeOf }: StoreBounds<T>): boolean {
  return maxBytes !== undefined || sizeOf !== undefined
}

/** Memory of an entry without its value. */
function overheadOf({ key, group }: { key: string; group: string | null }): number {
  return ENTRY_BYTES + heldBytes(key) + (group === null ? 0 : GROUP_BYTES + heldBytes(group))
}

/** Then values are copies owned by the store, measured when they were written. */
function measuresItself<T>({ maxBytes, sizeOf }: StoreBounds<T>): boolean {
  return maxBytes !== undefined && sizeOf === undefined
}

/** The entries are appended before anything else runs: only their numbers are waited for. */
async function appendAll(key: string, entries: readonly AppendedEntry[]): Promise<void> {
  await Promise.all(entries.map(({ log, value }) => (log as EventLog<unknown>).append(key, value)))
}

function sum(key: string, current: unknown, by: number): number {
  if (typeof current !== 'number') throw new TypeError(`the value of "${key}" is not a number`)
  return current + by
}
