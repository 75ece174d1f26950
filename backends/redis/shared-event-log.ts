/** `svc.eventLog` in a Redis or Valkey server that all replicas share. */
import type { EventLog, EventLogBounds, LoggedEvent, StreamInfo } from '../../core/contract/plugin.ts'
import { StateUnavailable } from '../../core/contract/state.ts'
import { heldBytes } from '../../core/collections/text-memory.ts'
import type { MemoryUse } from '../../core/collections/memory-use.ts'
import { copyData } from '../../core/collections/value-memory.ts'
import { LOG_ENTRY_BYTES, LOG_STREAM_BYTES } from '../../core/state/memory-event-log.ts'
import { Follower } from './log-follower.ts'
import { LogBatch, type BatchedEntry, type BatchedSegment } from './log-batch.ts'
import type { LogBatchObserver } from '../../core/state/shared-backend.ts'
import { APPEND, INFO, READ, READ_BACK, REMOVE, RENEW_LOG, type LogScriptBounds } from './log-scripts.ts'
import { entriesOf, readSegment, withoutEntries, type Segment } from './log-segment.ts'
import type { Script } from './script.ts'
import { LEAST_LIFE_MS, type SharedStore } from './shared-store.ts'
import type { StoreConnection } from './store-connection.ts'
import type { ValueCodec } from './value-codec.ts'

const PAGE_ENTRIES = 100
const AFTER_LIMIT = 100

export interface SharedEventLogOptions {
  connection: StoreConnection
  /** Beginning of all keys. */
  key: string
  /** `<plugin>/<name>`, for metrics. */
  label: string
  codec: ValueCodec
  /** The store of `of`. */
  owner: SharedStore<unknown> | undefined
  observer?: LogBatchObserver
  /** Makes all replicas send what they hold; called before a batched log is read. */
  flushAll(): Promise<void>
  onError(error: unknown): void
}

export class SharedEventLog<T> implements EventLog<T> {
  #bounds: EventLogBounds<T>
  readonly #options: SharedEventLogOptions
  readonly #followers = new Set<Follower<T>>()
  readonly #batch: LogBatch<T>
  #boundsText = ''

  constructor(bounds: EventLogBounds<T>, options: SharedEventLogOptions) {
    if (options.owner === undefined && bounds.maxCount === undefined)
      throw new TypeError('an event log needs maxCount, or a store (of) whose entries bound its streams')
    this.#bounds = bounds
    this.#options = options
    this.#batch = new LogBatch<T>({
      maxPerStream: () => this.#bounds.maxPerStream,
      send: segments => this.#send(segments),
      canSend: () => options.connection.isUp,
      observer: options.observer,
      onError: options.onError,
    })
    this.#writeBounds()
  }

  async append(stream: string, value: T): Promise<number | undefined> {
    this.#options.codec.check(value)
    const entry = { value, bytes: this.#measure(value) }
    if (this.#bounds.batched === true) {
      this.#batch.add(stream, entry)
      return undefined
    }
    const [seq] = await this.#send([{ stream, entries: [entry], skipped: 0 }])
    return seq ?? undefined
  }

  async newest(stream: string, limit: number, where?: (value: T) => boolean): Promise<LoggedEvent<T>[]> {
    await this.#flushAll()
    const found: LoggedEvent<T>[] = []
    if (!(limit > 0)) return found
    const name = this.#nameOf(stream)
    const pageSize = where === undefined ? Math.min(PAGE_ENTRIES, limit) : PAGE_ENTRIES
    for (let last = '+inf'; ; ) {
      const { from, segments } = await this.#read(READ_BACK, name, last, pageSize)
      for (const entry of segments.flatMap(segment => entriesOf(segment, from).reverse())) {
        if (where === undefined || where(entry.value)) found.push(entry)
        if (found.length >= limit) return found
      }
      const first = segments.at(-1)?.first ?? 0
      if (first <= from) return found
      last = String(first - 1)
    }
  }

  async after(stream: string, seq: number, limit = AFTER_LIMIT): Promise<LoggedEvent<T>[]> {
    await this.#flushAll()
    return this.readAfter(this.#nameOf(stream), seq, limit)
  }

  async find(stream: string, where: (value: T) => boolean): Promise<LoggedEvent<T> | undefined> {
    return (await this.newest(stream, 1, where))[0]
  }

  async info(stream: string): Promise<StreamInfo> {
    await this.#flushAll()
    const { lastSeq, count } = await this.readInfo(this.#nameOf(stream))
    return { lastSeq, count }
  }

  async bytes(): Promise<number> {
    return (await this.#useOf('info')).bytes
  }

  /** Of all replicas together. */
  memoryUse(): Promise<MemoryUse> {
    return this.#useOf('scrape')
  }

  async #useOf(operation: string): Promise<MemoryUse> {
    const [, , , bytes, entries] = (await this.#run(operation, INFO, [''])) as number[]
    return { entries: entries!, bytes: bytes! }
  }

  async clear(stream: string, where?: (value: T) => boolean): Promise<number> {
    await this.#flushAll()
    const name = this.#nameOf(stream)
    let removed = 0
    for (let next = 1; ; ) {
      const { from, segments } = await this.#read(READ, name, String(next), PAGE_ENTRIES)
      const last = segments.at(-1)?.last
      if (last === undefined) return removed
      const rewritten = segments.flatMap(segment => {
        const matching = entriesOf(segment, from).filter(({ value }) => where === undefined || where(value))
        return matching.length === 0 ? [] : this.#rewritten(name, segment, new Set(matching.map(({ seq }) => seq)))
      })
      if (rewritten.length > 0) {
        const [count, changed] = (await this.#run('clear', REMOVE, [name, ...rewritten])) as [number, number]
        removed += count
        // Another replica was faster.
        if (changed > 0) continue
      }
      next = last + 1
    }
  }

  follow(stream: string, after: number | null, on: (seq: number, value: T) => void, ended: () => void): () => void {
    const { connection, key, onError } = this.#options
    const name = this.#nameOf(stream)
    const follower = new Follower<T>({
      connection,
      channel: `${key}:${name}`,
      after,
      log: {
        after: seq => this.readAfter(name, seq, PAGE_ENTRIES),
        info: () => this.readInfo(name),
        entriesOf: message => this.#entriesOf(message, name),
        canEnd: this.#options.owner !== undefined,
      },
      on,
      ended: () => {
        this.#followers.delete(follower)
        ended()
      },
      onError,
    })
    this.#followers.add(follower)
    return () => {
      this.#followers.delete(follower)
      follower.stop()
    }
  }

  /** The arguments of entries that are appended by a script of the store (`of`): bounds, stream, text, sizes, own memory. */
  argumentsOf(stream: string, values: readonly T[]): string[] {
    const entries = values.map(value => {
      this.#options.codec.check(value)
      return { value, bytes: this.#measure(value) }
    })
    return [this.#boundsText, ...this.#segmentArguments(stream, entries)]
  }

  #segmentArguments(stream: string, entries: readonly BatchedEntry<T>[]): string[] {
    const name = this.#nameOf(stream)
    const text = this.#options.codec.encodeList(
      entries.map(({ value }) => value),
      name,
    )
    const sizes = entries.map(({ bytes }) => bytes).join(',')
    return [name, text, sizes, String(LOG_STREAM_BYTES + heldBytes(stream))]
  }

  /** Sends what waits in this process. Resolves when it was sent, or can't be. */
  flush(): Promise<void> {
    return this.#batch.flush()
  }

  setBounds(bounds: EventLogBounds<T>): void {
    this.#bounds = bounds
    this.#writeBounds()
  }

  /** Postpones the end of the keys; the leader does this. */
  async renew(): Promise<void> {
    await this.#run('renew', RENEW_LOG, [String(LEAST_LIFE_MS)])
  }

  /** Stops all followers. */
  async close(): Promise<void> {
    for (const follower of this.#followers) follower.end()
    await this.#batch.close()
  }

  /** `name` is the stream as it is stored. */
  async readAfter(name: string, seq: number, limit: number): Promise<LoggedEvent<T>[]> {
    const found: LoggedEvent<T>[] = []
    // Larger numbers are not printed as integers.
    let next = Math.max(0, Math.min(seq, Number.MAX_SAFE_INTEGER - 1)) + 1
    while (found.length < limit) {
      const { from, segments } = await this.#read(
        READ,
        name,
        String(next),
        Math.min(PAGE_ENTRIES, limit - found.length),
      )
      const last = segments.at(-1)?.last
      if (last === undefined) break
      for (const segment of segments) found.push(...entriesOf(segment, Math.max(from, next)))
      next = last + 1
    }
    return found.slice(0, limit)
  }

  async readInfo(name: string): Promise<{ isThere: boolean; lastSeq: number; count: number }> {
    const [isThere, lastSeq, count] = (await this.#run('info', INFO, [name])) as [number, number, number]
    return { isThere: isThere === 1, lastSeq, count }
  }

  /** A page of segments, and the first number that is kept. */
  async #read(
    script: Script,
    name: string,
    start: string,
    limit: number,
  ): Promise<{ from: number; segments: Segment<T>[] }> {
    const [from, ...texts] = (await this.#run('read', script, [name, start, String(limit)])) as [number, ...string[]]
    const segments: Segment<T>[] = []
    for (const text of texts) {
      const segment = readSegment<T>(text, this.#options.codec, name)
      if (segment !== undefined) segments.push(segment)
    }
    return { from, segments }
  }

  #entriesOf(message: string, name: string): LoggedEvent<T>[] {
    const segment = message.includes('\n') ? readSegment<T>(message, this.#options.codec, name) : undefined
    return segment === undefined ? [] : entriesOf(segment, segment.first)
  }

  /** The arguments of `REMOVE` for one segment. */
  #rewritten(name: string, segment: Segment<T>, removed: ReadonlySet<number>): string[] {
    const { last, sizes, values } = withoutEntries(segment, removed)
    return [String(last), segment.sizes.join(','), sizes.join(','), this.#options.codec.encodeList(values, name)]
  }

  async #send(segments: readonly BatchedSegment<T>[]): Promise<(number | null)[]> {
    const args = segments.flatMap(({ stream, entries, skipped }) => [
      ...this.#segmentArguments(stream, entries),
      String(skipped),
    ])
    return (await this.#run('append', APPEND, args)) as (number | null)[]
  }

  #run(operation: string, script: Script, args: readonly string[]): Promise<unknown> {
    const { connection, label, key } = this.#options
    return connection.run(label, operation, script, `${key}:n`, [this.#boundsText, ...args])
  }

  async #flushAll(): Promise<void> {
    if (this.#bounds.batched !== true) return
    if (!this.#options.connection.isUp) throw new StateUnavailable('away')
    await this.#options.flushAll()
  }

  #nameOf(stream: string): string {
    return this.#options.owner?.entryOf(stream) ?? stream
  }

  #measure(value: T): number {
    const { maxBytes, maxBytesPerStream, sizeOf } = this.#bounds
    if (sizeOf !== undefined) return Math.ceil(LOG_ENTRY_BYTES + sizeOf(value))
    if (maxBytes === undefined && maxBytesPerStream === undefined) return LOG_ENTRY_BYTES
    return Math.ceil(LOG_ENTRY_BYTES + copyData(value).bytes)
  }

  #writeBounds(): void {
    const { maxPerStream, maxBytesPerStream, maxCount, maxBytes, ttlMs } = this.#bounds
    const bounds: LogScriptBounds = {
      perStream: maxPerStream,
      bytesPerStream: maxBytesPerStream,
      count: maxCount,
      bytes: maxBytes,
      ttl: ttlMs === undefined ? undefined : Math.ceil(ttlMs),
      of: this.#options.owner?.key,
    }
    this.#boundsText = JSON.stringify(bounds, (_key, value: unknown) => (value === Infinity ? undefined : value))
  }
}
