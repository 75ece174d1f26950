/**
 * Records that a plugin keeps for its clients: files, batches, conversations, tasks. A record has an owner; the bounds and
 * the time to live are those of the store of the plugin (`svc.state`) that keeps it.
 */
import { copyText } from '../collections/text-memory.ts'
import type { Svc } from './plugin.ts'
import type { PutOptions, Store } from './state.ts'

/** A record in a store, with its owner. `V` is the value itself, or text for `createTextRecords`. */
export interface StoredRecord<V> {
  scope: string
  /** Also the group of the entry: `maxPerGroup` bounds the records of a session. */
  session: string
  value: V
}

export interface RecordOptions<T> {
  /**
   * Whose a record is in public mode: of the session that made it (default), so that another session with the same id has
   * another record; or of everybody who knows its id. Otherwise every session finds the records of a scope.
   */
  access?: 'session' | 'id'
  /** The id under which a record is kept, if several lead to it. */
  idOf?: (id: string) => string
  /** A longer record is not kept: `put`, `add` and `change` reject with `RecordTooLong`. Only for text. */
  maxCharacters?: number
  /** Whether a changed record is over, for `ending`. The store needs `watched: true`. */
  isOver?: (value: T) => boolean
}

/** Thrown by `put`, `add` and `change`: the record stays as it was. */
export class RecordTooLong extends Error {
  override readonly name = 'RecordTooLong'
  readonly limit: number

  constructor(limit: number) {
    super(`the record has more than ${limit} characters`)
    this.limit = limit
  }
}

/** The records of one owner. */
export interface Records<T> {
  /** Stores a record, or replaces the record with this id. */
  put(id: string, value: T, options?: Pick<PutOptions, 'ttlMs'>): Promise<void>
  /** Stores a record unless its id exists. Returns whether it was stored. */
  add(id: string, value: T, options?: Pick<PutOptions, 'ttlMs'>): Promise<boolean>
  /** `beforeReading` is called with the number of characters of the record before it is parsed; what it throws is thrown. */
  get(id: string, beforeReading?: (characters: number) => void): Promise<T | undefined>
  /** Like `get`, but does not count as use. */
  peek(id: string): Promise<T | undefined>
  /**
   * Replaces the value with the result of `change`, which must be pure; the same value: nothing changes. Resolves with what
   * is stored then; undefined: there is no such record.
   */
  change(id: string, change: (value: T) => T): Promise<T | undefined>
  /** Returns whether there was such a record. */
  delete(id: string): Promise<boolean>
  /** In the order in which they were made, or the newest first. */
  list(options?: { limit?: number; newestFirst?: boolean }): Promise<{ id: string; value: T }[]>
  /** Calls `stop` when the record is removed or over. Returns what registers the call and returns what removes it. */
  ending(id: string): (stop: () => void) => () => void
}

export interface RecordStore<T> {
  /** The records of an owner: a scope, such as a server or a provider, and the key of a session (`svc.http.session`). */
  of(scope: string, session: string): Records<T>
  /** Removes the records of a session, or all for null. Returns their number. */
  clear(session: string | null): Promise<number>
  /** Memory of all records, as the store counts it. */
  bytes(): Promise<number>
}

type RecordServices = Pick<Svc<unknown>, 'config' | 'whenClosed'>

/** Records that are kept as they are. */
export function createRecords<T>(
  svc: RecordServices,
  store: Store<StoredRecord<T>>,
  options: Omit<RecordOptions<T>, 'maxCharacters'> = {},
): RecordStore<T> {
  const same = (value: T): T => value
  return new OwnedRecordStore<T, T>(svc, store, options, { pack: same, unpack: same, length: () => 0 })
}

/**
 * Records that are kept as JSON text, whose memory is known whatever it contains: for what clients send. Values are plain
 * JSON.
 */
export function createTextRecords<T>(
  svc: RecordServices,
  store: Store<StoredRecord<string>>,
  options: RecordOptions<T> = {},
): RecordStore<T> {
  return new OwnedRecordStore<T, string>(svc, store, options, {
    pack: value => JSON.stringify(value),
    unpack: text => JSON.parse(text) as T,
    length: text => text.length,
  })
}

/** How values are kept. */
interface Codec<T, V> {
  pack(value: T): V
  unpack(value: V): T
  /** Characters; 0 if it is not text. */
  length(value: V): number
}

/** Longer ids of clients are cut. */
const MAX_ID = 200

class OwnedRecordStore<T, V> implements RecordStore<T> {
  readonly #store: Store<StoredRecord<V>>
  readonly #codec: Codec<T, V>
  readonly #options: RecordOptions<T>
  readonly #isPrivate: boolean
  /** What ends when a record does, by key. */
  readonly #stops = new Map<string, Set<() => void>>()

  constructor(svc: RecordServices, store: Store<StoredRecord<V>>, options: RecordOptions<T>, codec: Codec<T, V>) {
    this.#store = store
    this.#codec = codec
    this.#options = options
    this.#isPrivate = svc.config.publicMode && options.access !== 'id'
    if (options.isOver !== undefined) this.#watch(svc, options.isOver)
  }

  of(scope: string, session: string): Records<T> {
    const store = this.#store
    const codec = this.#codec
    const keyOf = (id: string): string => this.#keyOf(scope, session, id)
    const stored = (value: T): StoredRecord<V> => ({
      scope: copyText(scope),
      session: copyText(session),
      value: this.#packed(value),
    })
    const isOwn = (record: StoredRecord<V> | undefined): record is StoredRecord<V> =>
      record !== undefined && record.scope === scope && (!this.#isPrivate || record.session === session)
    const ownOf = (record: StoredRecord<V> | undefined): T | undefined =>
      isOwn(record) ? codec.unpack(record.value) : undefined
    return {
      put: async (id, value, options) => store.set(keyOf(id), stored(value), { ...options, group: session }),
      add: async (id, value, options) => store.add(keyOf(id), stored(value), { ...options, group: session }),
      async get(id, beforeReading) {
        const found = await store.get(keyOf(id))
        if (!isOwn(found)) return undefined
        beforeReading?.(codec.length(found.value))
        return codec.unpack(found.value)
      },
      peek: async id => ownOf(await store.peek(keyOf(id))),
      change: async (id, change) => {
        let tooLong: RecordTooLong | null = null
        const changed = await store.update(keyOf(id), found => {
          tooLong = null
          if (!isOwn(found)) return found
          const before = codec.unpack(found.value)
          const after = change(before)
          if (after === before) return found
          try {
            return { ...found, value: this.#packed(after) }
          } catch (error) {
            if (!(error instanceof RecordTooLong)) throw error
            tooLong = error
            return found
          }
        })
        // oxlint-disable-next-line no-throw-literal, no-unnecessary-condition -- set by the function above
        if (tooLong !== null) throw tooLong
        return ownOf(changed)
      },
      async delete(id) {
        const key = keyOf(id)
        return isOwn(await store.peek(key)) && store.delete(key)
      },
      list: async options => {
        const found = await store.list({ ...options, ...(this.#isPrivate ? { group: session } : {}), where: isOwn })
        const before = keyOf('').length
        return found.map(({ key, value }) => ({ id: key.slice(before), value: codec.unpack(value.value) }))
      },
      ending: id => this.#ending(keyOf(id)),
    }
  }

  clear(session: string | null): Promise<number> {
    return this.#store.clear(record => session === null || record.session === session)
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }

  /** Of a private record, the session is part of the key: neither reads nor replaces that of another session. */
  #keyOf(scope: string, session: string, id: string): string {
    const kept = this.#options.idOf?.(id) ?? id
    return `${this.#isPrivate ? `${session}\n` : ''}${scope} ${kept.slice(0, MAX_ID)}`
  }

  #packed(value: T): V {
    const packed = this.#codec.pack(value)
    const { maxCharacters = Infinity } = this.#options
    if (this.#codec.length(packed) > maxCharacters) throw new RecordTooLong(maxCharacters)
    return packed
  }

  #watch(svc: RecordServices, isOver: (value: T) => boolean): void {
    svc.whenClosed(
      this.#store.subscribe(change => {
        if (change.kind === 'reset') return
        const stops = this.#stops.get(change.key)
        if (stops === undefined) return
        if (change.kind === 'set' && !isOver(this.#codec.unpack(change.value.value))) return
        for (const stop of stops) stop()
      }),
    )
  }

  #ending(key: string): (stop: () => void) => () => void {
    return stop => {
      const stops = this.#stops.get(key) ?? new Set()
      this.#stops.set(key, stops.add(stop))
      return () => {
        stops.delete(stop)
        if (stops.size === 0) this.#stops.delete(key)
      }
    }
  }
}
