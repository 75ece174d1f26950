/** A log of numbered entries in the memory of one process: `svc.eventLog` without a shared store. */
import type { EventLog, EventLogBounds, LoggedEvent, StreamInfo } from '../contract/plugin.ts'
import { estimateBytes } from '../collections/estimate.ts'
import { LinkedList, type Link } from '../collections/linked-list.ts'
import { copyText, heldBytes } from '../collections/text-memory.ts'
import { copyData } from '../collections/value-memory.ts'
import type { MemoryUse } from '../collections/memory-use.ts'

/** Memory of an entry without its value. */
export const LOG_ENTRY_BYTES = 96
/** Memory of a stream without its name. */
export const LOG_STREAM_BYTES = 512
const AFTER_LIMIT = 100

interface LogEntry<T> extends LoggedEvent<T> {
  bytes: number
}

interface Follower<T> {
  /** Number of the last entry that was delivered. */
  position: number
  on(seq: number, value: T): void
  ended(): void
}

class Stream<T> {
  readonly name: string
  readonly entries = new LinkedList<LogEntry<T>>()
  readonly followers = new Set<Follower<T>>()
  lastSeq = 0
  bytes = 0
  expiresAt = Infinity
  readonly byUse: Link<Stream<T>>
  /** The place among the streams that have entries. */
  filled: Link<Stream<T>> | null = null

  constructor(name: string, byUse: LinkedList<Stream<T>>) {
    this.name = name
    this.byUse = byUse.push(this)
  }
}

/** The store on whose entries the streams of a log depend. */
export interface StreamOwner {
  has(key: string): boolean
  /** Calls `listener` with the key of every entry that is removed. */
  onRemoved(listener: (key: string) => void): () => void
}

export interface MemoryEventLogOptions {
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number
  /** Receives errors of followers. They do not affect other followers. */
  onError?: (error: unknown) => void
  /** The store of `of`. */
  owner?: StreamOwner | undefined
}

export class MemoryEventLog<T> implements EventLog<T> {
  #bounds: EventLogBounds<T>
  readonly #now: () => number
  readonly #onError: (error: unknown) => void
  readonly #owner: StreamOwner | undefined
  readonly #streams = new Map<string, Stream<T>>()
  /** In the order of their last `append`, which is also the order in which they expire. */
  readonly #byUse = new LinkedList<Stream<T>>()
  /** The streams that have entries, in the same order. */
  readonly #filled = new LinkedList<Stream<T>>()
  readonly #stopWatching: () => void
  #count = 0
  #bytes = 0

  constructor(bounds: EventLogBounds<T>, { now = Date.now, onError = () => {}, owner }: MemoryEventLogOptions = {}) {
    if (owner === undefined && bounds.maxCount === undefined)
      throw new TypeError('an event log needs maxCount, or a store (of) whose entries bound its streams')
    this.#bounds = bounds
    this.#now = now
    this.#onError = onError
    this.#owner = owner
    this.#stopWatching = owner?.onRemoved(key => this.#end(this.#streams.get(key))) ?? (() => {})
  }

  async append(stream: string, value: T): Promise<number | undefined> {
    this.sweep()
    if (this.#owner?.has(stream) === false) return undefined
    const { kept, bytes } = this.#measure(value)
    const to = this.#streamOf(stream)
    const entry = { seq: to.lastSeq + 1, value: kept, bytes }
    to.lastSeq = entry.seq
    to.entries.push(entry)
    this.#account(to, 1, bytes)
    this.#renew(to)
    if (to.filled === null) to.filled = this.#filled.push(to)
    else this.#filled.moveToEnd(to.filled)
    // Before trimming: followers also get an entry that exceeds the bounds on its own.
    for (const follower of to.followers) {
      if (follower.position === entry.seq - 1) this.#deliverOne(follower, entry)
      else this.#deliver(to, follower)
    }
    if (this.#streams.get(to.name) === to) this.#trim(to)
    return this.#bounds.batched === true ? undefined : entry.seq
  }

  async newest(stream: string, limit: number, where?: (value: T) => boolean): Promise<LoggedEvent<T>[]> {
    return this.#select(stream, { limit, newestFirst: true, where: ({ value }) => where === undefined || where(value) })
  }

  async after(stream: string, seq: number, limit = AFTER_LIMIT): Promise<LoggedEvent<T>[]> {
    return this.#select(stream, { limit, newestFirst: false, where: entry => entry.seq > seq })
  }

  async find(stream: string, where: (value: T) => boolean): Promise<LoggedEvent<T> | undefined> {
    return (await this.newest(stream, 1, where))[0]
  }

  async info(stream: string): Promise<StreamInfo> {
    this.sweep()
    const found = this.#streams.get(stream)
    return { lastSeq: found?.lastSeq ?? 0, count: found?.entries.size ?? 0 }
  }

  async clear(stream: string, where?: (value: T) => boolean): Promise<number> {
    this.sweep()
    const from = this.#streams.get(stream)
    if (from === undefined) return 0
    let removed = 0
    for (let link = from.entries.first; link !== null; ) {
      const { next } = link
      if (where === undefined || where(link.value.value)) {
        this.#drop(from, link)
        removed += 1
      }
      link = next
    }
    return removed
  }

  follow(stream: string, after: number | null, on: (seq: number, value: T) => void, ended: () => void): () => void {
    this.sweep()
    let isStopped = false
    if (this.#owner?.has(stream) === false) {
      queueMicrotask(() => {
        if (!isStopped) ended()
      })
      return () => void (isStopped = true)
    }
    const followed = this.#streamOf(stream)
    const follower: Follower<T> = { position: after ?? followed.lastSeq, on, ended }
    followed.followers.add(follower)
    // As with a shared store, the first entry arrives after `follow` has returned.
    queueMicrotask(() => this.#deliver(followed, follower))
    return () => {
      isStopped = true
      followed.followers.delete(follower)
      // Otherwise clients that follow unknown streams would leave their names behind.
      const isUnused = followed.lastSeq === 0 && followed.followers.size === 0
      if (isUnused && this.#streams.get(followed.name) === followed) this.#end(followed)
    }
  }

  async bytes(): Promise<number> {
    this.sweep()
    return this.#bytes
  }

  /** Includes expired streams that were not ended yet, because they take memory. */
  memoryUse(): MemoryUse {
    const { maxBytes, maxBytesPerStream, sizeOf } = this.#bounds
    const isMeasured = (maxBytes ?? maxBytesPerStream ?? sizeOf) !== undefined
    const values = isMeasured ? 0 : estimateBytes(this.#entries(), this.#count, ({ value }) => value)
    return { entries: this.#count, bytes: this.#bytes + values }
  }

  *#entries(): Generator<LogEntry<T>> {
    for (const { entries } of this.#streams.values()) yield* entries.values()
  }

  /** Applies newer bounds. */
  setBounds(bounds: EventLogBounds<T>): void {
    this.#bounds = bounds
    for (const stream of this.#byUse.values()) this.#trim(stream)
  }

  /** Ends expired streams. */
  sweep(): void {
    const now = this.#now()
    for (let link = this.#byUse.first; link !== null && link.value.expiresAt <= now; link = this.#byUse.first)
      this.#end(link.value)
  }

  /** Ends all streams. */
  close(): void {
    this.#stopWatching()
    for (const stream of this.#streams.values()) this.#end(stream)
  }

  #select(
    name: string,
    { limit, newestFirst, where }: { limit: number; newestFirst: boolean; where(entry: LogEntry<T>): boolean },
  ): LoggedEvent<T>[] {
    this.sweep()
    const found: LoggedEvent<T>[] = []
    for (const entry of this.#streams.get(name)?.entries.values(newestFirst) ?? []) {
      if (found.length >= limit) break
      if (where(entry)) found.push({ seq: entry.seq, value: entry.value })
    }
    return found
  }

  #streamOf(name: string): Stream<T> {
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const stream = new Stream<T>(copyText(name), this.#byUse)
    this.#streams.set(stream.name, stream)
    this.#bytes += LOG_STREAM_BYTES + heldBytes(stream.name)
    this.#renew(stream)
    return stream
  }

  #renew(stream: Stream<T>): void {
    stream.expiresAt = this.#now() + (this.#bounds.ttlMs ?? Infinity)
    this.#byUse.moveToEnd(stream.byUse)
  }

  #measure(value: T): { kept: T; bytes: number } {
    const { maxBytes, maxBytesPerStream, sizeOf } = this.#bounds
    if (sizeOf !== undefined) return { kept: value, bytes: LOG_ENTRY_BYTES + sizeOf(value) }
    if (maxBytes === undefined && maxBytesPerStream === undefined) return { kept: value, bytes: LOG_ENTRY_BYTES }
    const { copy, bytes } = copyData(value)
    return { kept: copy, bytes: LOG_ENTRY_BYTES + bytes }
  }

  /** Enforces the bounds: of the stream first, then of all, starting with the stream used least recently. */
  #trim(stream: Stream<T>): void {
    const { maxPerStream, maxBytesPerStream = Infinity, maxCount = Infinity, maxBytes = Infinity } = this.#bounds
    while (stream.entries.first !== null && (stream.entries.size > maxPerStream || stream.bytes > maxBytesPerStream))
      this.#drop(stream, stream.entries.first)
    while (this.#count > maxCount || this.#bytes > maxBytes || this.#streams.size > maxCount) {
      // Streams of a store live as long as its entries; ending one would also start its numbers again.
      const victim = (this.#owner === undefined ? this.#byUse : this.#filled).first?.value
      if (victim === undefined) return
      if (victim.entries.first !== null) this.#drop(victim, victim.entries.first)
      else if (victim !== stream) this.#end(victim)
      else return
    }
  }

  #drop(stream: Stream<T>, link: Link<LogEntry<T>>): void {
    stream.entries.remove(link)
    this.#account(stream, -1, -link.value.bytes)
    if (stream.entries.size === 0) this.#unfill(stream)
  }

  #account(stream: Stream<T>, count: number, bytes: number): void {
    stream.bytes += bytes
    this.#bytes += bytes
    this.#count += count
  }

  #unfill(stream: Stream<T>): void {
    if (stream.filled !== null) this.#filled.remove(stream.filled)
    stream.filled = null
  }

  #end(stream: Stream<T> | undefined): void {
    if (stream === undefined) return
    this.#streams.delete(stream.name)
    this.#byUse.remove(stream.byUse)
    this.#unfill(stream)
    this.#bytes -= LOG_STREAM_BYTES + heldBytes(stream.name)
    this.#account(stream, -stream.entries.size, -stream.bytes)
    const followers = [...stream.followers]
    stream.followers.clear()
    for (const { ended } of followers) this.#guard(ended)
  }

  /** Delivers all entries after the position of the follower, in order. */
  #deliver(stream: Stream<T>, follower: Follower<T>): void {
    for (const entry of stream.entries.values()) {
      if (!stream.followers.has(follower)) return
      if (entry.seq > follower.position) this.#deliverOne(follower, entry)
    }
  }

  #deliverOne(follower: Follower<T>, { seq, value }: LogEntry<T>): void {
    follower.position = seq
    this.#guard(() => follower.on(seq, value))
  }

  #guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#onError(error)
    }
  }
}
