/** `svc.state` in a Redis or Valkey server that all replicas share. Its bounds are those of the deployment. */
import type { AppendedEntry, PutOptions, Store, StoreBounds, StoreChange } from '../../core/contract/plugin.ts'
import type { MemoryUse } from '../../core/collections/memory-use.ts'
import { heldBytes } from '../../core/collections/text-memory.ts'
import { copyData } from '../../core/collections/value-memory.ts'
import { ChangeFeed } from '../../core/state/change-feed.ts'
import { ENTRY_BYTES, GROUP_BYTES } from '../../core/state/memory-store.ts'
import { ImmutableCache } from './immutable-cache.ts'
import type { Script } from './script.ts'
import type { StoreConnection } from './store-connection.ts'
import {
  COUNT,
  DROP,
  DROP_ALL,
  GET,
  INCREMENT,
  PAGE,
  PUT,
  RENEW,
  SWEEP,
  TAKE,
  type ScriptBounds,
} from './store-scripts.ts'
import { PendingUpdates, type Versioned, type WriteOutcome } from './pending-updates.ts'
import { hashName, type ValueCodec } from './value-codec.ts'
import { storeWithin } from '../../core/state/store-within.ts'

const PAGE_ENTRIES = 100
/** An abandoned deployment disappears after this time, in milliseconds. */
export const LEAST_LIFE_MS = 7 * 24 * 3_600_000

export interface SharedStoreOptions {
  connection: StoreConnection
  /** Beginning of all keys, such as `svc:{orders/carts.1}`. Also the channel of changes. */
  key: string
  /** `<plugin>/<name>`, for metrics. */
  label: string
  codec: ValueCodec
  /** Time limit of an update that loses races, in milliseconds. */
  timeoutMs: number
  /** Called when entries of an immutable store were removed, with null for several: resolves when no replica serves them. */
  announceRemoval(entry: string | null): Promise<void>
  onError(error: unknown): void
}

export class SharedStore<T> implements Store<T> {
  readonly key: string
  #bounds: StoreBounds<T>
  readonly #options: SharedStoreOptions
  readonly #logs = new Set<string>()
  readonly #logWriters = new WeakMap<object, (stream: string, values: readonly unknown[]) => string[]>()
  #boundsText = ''
  readonly #changes: ChangeFeed<T>
  readonly #updates: PendingUpdates<T>
  #lastChange: number | null = null
  #subscription: { ready: Promise<void>; stop(): void } | null = null
  #cache: ImmutableCache | null = null
  /** A value that was being read meanwhile is not cached. */
  #removals = 0

  constructor(bounds: StoreBounds<T>, options: SharedStoreOptions) {
    this.#bounds = bounds
    this.#options = options
    this.key = options.key
    this.#changes = new ChangeFeed(options.onError)
    this.#updates = new PendingUpdates<T>({
      timeoutMs: options.timeoutMs,
      onRetry: () => options.connection.countRetry(),
      read: entry => this.#read(entry, false),
      write: (...written) => this.#writeVersion(...written),
      decode: (text, entry) => this.#decode(text, entry)?.value,
      copy: value => options.codec.copy(value),
      entryOf: key => this.entryOf(key),
    })
    this.setBounds(bounds)
  }

  /** Resolves when changes are received. */
  get ready(): Promise<void> {
    return this.#subscription?.ready ?? Promise.resolve()
  }

  get isSecret(): boolean {
    return this.#bounds.secret === true
  }

  get isWatched(): boolean {
    return this.#bounds.watched === true
  }

  /** The name of an entry: its key, hashed if the store is secret. */
  entryOf(key: string): string {
    return this.#bounds.secret === true ? hashName(key) : key
  }

  /** A log whose streams end with the entries of this store. */
  attachLog(name: string): void {
    this.#logs.add(name)
    this.#writeBounds()
  }

  /** `argumentsOf` returns the name, the bounds and the entries of such a log, as scripts read them. */
  attachWriter(log: object, argumentsOf: (stream: string, values: readonly unknown[]) => string[]): void {
    this.#logWriters.set(log, argumentsOf)
  }

  setBounds(bounds: StoreBounds<T>): void {
    this.#bounds = bounds
    this.#writeBounds()
    if (bounds.watched === true && this.#subscription === null) this.#watch()
    this.#cache = bounds.immutable === true ? (this.#cache ?? new ImmutableCache()) : null
  }

  async get(key: string): Promise<T | undefined> {
    const { ttlFrom, evict } = this.#bounds
    return this.#valueOf(await this.#readCached(this.entryOf(key), ttlFrom === 'use' || evict === 'idle'), key)
  }

  async peek(key: string): Promise<T | undefined> {
    return this.#valueOf(await this.#readCached(this.entryOf(key), false), key)
  }

  async set(key: string, value: T, options: PutOptions = {}): Promise<void> {
    const entry = this.entryOf(key)
    await this.#put(key, value, { entry, text: this.#encode(entry, key, value), condition: '', options, by: 'set' })
  }

  async add(key: string, value: T, options: PutOptions = {}): Promise<boolean> {
    const entry = this.entryOf(key)
    const text = this.#encode(entry, key, value)
    const [outcome, version] = await this.#put(key, value, { entry, text, condition: 'absent', options, by: 'set' })
    if (outcome === 1) this.#updates.remember(key, { text, version })
    return outcome === 1
  }

  async take(key: string): Promise<T | undefined> {
    const entry = this.entryOf(key)
    const text = await this.#run('take', TAKE, [entry, ''])
    await this.#forget(entry)
    return text === null ? undefined : this.#decode(String(text), entry)?.value
  }

  async delete(key: string): Promise<boolean> {
    const entry = this.entryOf(key)
    const text = await this.#run('delete', TAKE, [entry, ''])
    await this.#forget(entry)
    return text !== null
  }

  /** What another replica has removed is no longer served from the cache. */
  forget(entry: string | null): void {
    this.#removals += 1
    if (entry === null) this.#cache?.clear()
    else this.#cache?.delete(entry)
  }

  update(
    key: string,
    change: (current: T | undefined) => T | undefined,
    options: PutOptions = {},
  ): Promise<T | undefined> {
    return this.#updates.add(key, change, options)
  }

  async increment(this: SharedStore<number>, key: string, by = 1, options: PutOptions = {}): Promise<number> {
    if (this.#bounds.secret === true)
      return (await this.update(
        key,
        (current = 0) => {
          if (typeof current !== 'number') throw notANumber(key)
          return current + by
        },
        options,
      ))!
    const sum = await this.#run('increment', INCREMENT, [
      key,
      String(by),
      ...this.#putArguments(key, 0, options, 'updated'),
    ])
    if (sum === null) throw notANumber(key)
    return Number(sum)
  }

  async list(options: Parameters<Store<T>['list']>[0] = {}): Promise<{ key: string; value: T }[]> {
    const { limit = Infinity, where } = options
    const found: { key: string; value: T }[] = []
    if (!(limit > 0)) return found
    const pageSize = where === undefined ? Math.min(PAGE_ENTRIES, limit) : PAGE_ENTRIES
    for await (const { key, value } of this.#entries(options, pageSize)) {
      if (where !== undefined && !where(value, key)) continue
      found.push({ key, value })
      if (found.length >= limit) break
    }
    return found
  }

  async clear(where?: (value: T, key: string) => boolean): Promise<number> {
    let removed = 0
    if (where === undefined) {
      for (;;) {
        const [found, live] = (await this.#run('clear', DROP_ALL, [])) as [number, number]
        removed += live
        if (found === 0) break
      }
      await this.#forget(null)
      return removed
    }
    const matching: string[] = []
    for await (const { entry, key, value, version } of this.#entries({}, PAGE_ENTRIES))
      if (where(value, key)) matching.push(entry, String(version))
    for (let at = 0; at < matching.length; at += 2 * PAGE_ENTRIES)
      removed += Number(await this.#run('clear', DROP, matching.slice(at, at + 2 * PAGE_ENTRIES)))
    await this.#forget(null)
    return removed
  }

  async count({ group }: { group?: string } = {}): Promise<number> {
    const [count] = (await this.#run('count', COUNT, [group === undefined ? '-' : groupName(group)])) as [
      number,
      number,
    ]
    return count
  }

  async bytes(): Promise<number> {
    return (await this.#useOf('count')).bytes
  }

  /** Of all replicas together. */
  memoryUse(): Promise<MemoryUse> {
    return this.#useOf('scrape')
  }

  async #useOf(operation: string): Promise<MemoryUse> {
    const [entries, bytes] = (await this.#run(operation, COUNT, ['-'])) as [number, number]
    return { entries, bytes }
  }

  within(group: string): Store<T> {
    return storeWithin(this, group)
  }

  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    if (!this.#bounds.watched) throw new Error('cannot subscribe to a store without "watched: true" in its bounds')
    return this.#changes.subscribe(listener)
  }

  /** Removes expired entries; the leader does this. */
  async sweep(): Promise<void> {
    await this.#run('sweep', SWEEP, [])
  }

  /** Postpones the end of the keys; the leader does this. */
  async renew(): Promise<void> {
    const { ttlMs = 0 } = this.#bounds
    await this.#run('renew', RENEW, [
      String(Math.max(LEAST_LIFE_MS, Number.isFinite(ttlMs) ? 2 * Math.ceil(ttlMs) : 0)),
    ])
  }

  close(): void {
    this.#subscription?.stop()
  }

  async *#entries(
    { group, newestFirst = false }: { group?: string; newestFirst?: boolean },
    pageSize: number,
  ): AsyncGenerator<{ entry: string; key: string; value: T; version: number }> {
    let place = ''
    do {
      const page = (await this.#run('list', PAGE, [
        group === undefined ? '-' : groupName(group),
        newestFirst ? '1' : '0',
        place,
        String(pageSize),
      ])) as [string, ...(string | number)[]]
      place = page[0]
      for (let at = 1; at < page.length; at += 3) {
        const entry = String(page[at])
        const decoded = this.#decode(String(page[at + 1]), entry)
        if (decoded !== undefined) yield { entry, ...decoded, version: Number(page[at + 2]) }
      }
    } while (place !== '')
  }

  #valueOf(read: Pick<Versioned, 'text'> | null, key: string): T | undefined {
    return read === null ? undefined : this.#decode(read.text, this.entryOf(key))?.value
  }

  async #forget(entry: string | null): Promise<void> {
    if (this.#cache === null) return
    this.forget(entry)
    await this.#options.announceRemoval(entry)
  }

  /** While the store is unavailable, nothing is served from the cache either: replicas behave alike. */
  async #readCached(entry: string, isUse: boolean): Promise<{ text: string } | null> {
    const cached = this.#options.connection.isUp ? this.#cache?.get(entry) : undefined
    if (cached !== undefined) return { text: cached }
    const removals = this.#removals
    const read = await this.#read(entry, isUse)
    if (read !== null && removals === this.#removals) this.#cache?.set(entry, read.text)
    return read
  }

  async #read(entry: string, isUse: boolean): Promise<Versioned | null> {
    const reply = (await this.#run('get', GET, [entry, isUse ? '1' : '0'])) as [string, number] | null
    return reply === null ? null : { text: reply[0], version: reply[1] }
  }

  async #put(
    key: string,
    value: T,
    {
      entry,
      text,
      condition,
      options,
      by,
      entries = [],
    }: {
      entry: string
      text: string
      condition: string
      options: PutOptions
      by: 'set' | 'updated'
      entries?: readonly string[]
    },
  ): Promise<[outcome: number, version: number, more?: string | number | null]> {
    return (await this.#run(by === 'set' ? 'set' : 'update', PUT, [
      entry,
      text,
      condition,
      by === 'updated' ? '1' : '0',
      ...this.#putArguments(key, value, options, by),
      ...entries,
    ])) as [number, number, (string | number | null)?]
  }

  /** The arguments of the entries that `PUT` appends to logs. Those of one log are one segment. */
  #logArguments(key: string, appended: readonly AppendedEntry[]): string[] {
    const values = new Map<object, unknown[]>()
    for (const { log, value } of appended) values.set(log, [...(values.get(log) ?? []), value])
    return [...values].flatMap(([log, ofLog]) => {
      const writer = this.#logWriters.get(log)
      if (writer === undefined) throw new TypeError('append needs an event log that belongs to this store (of)')
      return writer(key, ofLog)
    })
  }

  /** Writes the result of an update if the entry still has the expected version (0: is absent). */
  async #writeVersion(
    key: string,
    value: T | undefined,
    expected: number,
    options: PutOptions,
    appended: readonly AppendedEntry[],
  ): Promise<WriteOutcome> {
    const entry = this.entryOf(key)
    if (value === undefined) {
      const reply = await this.#run('update', TAKE, [entry, String(expected)])
      return reply === -1 ? { current: await this.#read(entry, false) } : { written: null, isContended: false }
    }
    const text = this.#encode(entry, key, value)
    const condition = String(expected)
    const [outcome, version, more] = await this.#put(key, value, {
      entry,
      text,
      condition,
      options,
      by: 'updated',
      entries: this.#logArguments(key, appended),
    })
    if (outcome === -1) return { current: typeof more === 'string' ? { text: more, version } : null }
    return { written: outcome === 1 ? { text, version } : null, isContended: more === 1 }
  }

  /** The arguments of `put` in the scripts. */
  #putArguments(key: string, value: unknown, options: PutOptions, by: 'set' | 'updated'): string[] {
    const { group, ttlMs, spare } = options
    const isMeasured = this.#bounds.sizeOf !== undefined || this.#bounds.maxBytes !== undefined
    return [
      String(isMeasured ? Math.ceil(this.#measure(key, value)) : 0),
      group === undefined ? '-' : groupName(group),
      String(group === undefined || !isMeasured ? 0 : GROUP_BYTES + heldBytes(group)),
      ttlMs === undefined ? '' : Number.isFinite(ttlMs) ? String(Math.ceil(Math.max(0, ttlMs))) : '-1',
      spare === undefined ? (by === 'updated' ? '' : '0') : spare ? '1' : '0',
    ]
  }

  #measure(key: string, value: unknown): number {
    const { sizeOf } = this.#bounds
    const own = sizeOf === undefined ? copyData(value).bytes : sizeOf(value as T, key)
    return own + ENTRY_BYTES + heldBytes(key)
  }

  /** A secret store has names from which the key can't be read, so the key is part of the encrypted text. */
  #encode(entry: string, key: string, value: T): string {
    if (value === undefined) return this.#options.codec.encode(value, entry)
    return this.#options.codec.encode(this.#bounds.secret === true ? [key, value] : value, entry)
  }

  #decode(text: string, entry: string): { key: string; value: T } | undefined {
    const decoded = this.#options.codec.decode(text, entry)
    if (decoded === undefined) return undefined
    if (this.#bounds.secret !== true) return { key: entry, value: decoded as T }
    const [key, value] = decoded as [string, T]
    return { key, value }
  }

  #run(operation: string, script: Script, args: readonly string[]): Promise<unknown> {
    const { connection, label } = this.#options
    return connection.run(label, operation, script, `${this.key}:n`, [this.#boundsText, ...args])
  }

  #writeBounds(): void {
    const { maxCount, maxBytes, maxPerGroup, ttlMs, ttlFrom, evict = 'oldest', watched = false } = this.#bounds
    const bounds: ScriptBounds = {
      count: finite(maxCount) ?? Number.MAX_SAFE_INTEGER,
      bytes: finite(maxBytes),
      perGroup: finite(maxPerGroup),
      ttl: finite(ttlMs) === undefined ? undefined : Math.ceil(ttlMs!),
      use: ttlFrom === 'use',
      evict,
      watched,
      logs: [...this.#logs],
    }
    this.#boundsText = JSON.stringify(bounds)
  }

  #watch(): void {
    this.#subscription = this.#options.connection.subscribe(this.key, {
      message: text => this.#onChange(text),
      reset: () => {
        this.#lastChange = null
        this.#changes.publish({ kind: 'reset' })
      },
    })
  }

  #onChange(message: string): void {
    const [number, kind, entry, text] = JSON.parse(message) as [
      number,
      'set' | 'deleted' | 'evicted' | 'expired',
      string,
      string | undefined,
    ]
    const isComplete = this.#lastChange === null || number === this.#lastChange + 1
    this.#lastChange = number
    const decoded = text === undefined ? undefined : this.#decode(text, entry)
    // A value that is too long for a message, or that can't be decrypted, has to be read.
    if (!isComplete || decoded === undefined) this.#changes.publish({ kind: 'reset' })
    else this.#changes.publish({ kind, ...decoded })
  }
}

function groupName(group: string): string {
  return hashName(group).slice(0, 22)
}

function finite(bound: number | undefined): number | undefined {
  return bound !== undefined && Number.isFinite(bound) ? bound : undefined
}

function notANumber(key: string): TypeError {
  return new TypeError(`the value of "${key}" is not a number`)
}
