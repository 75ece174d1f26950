/** `svc.eventLog` in a Redis or Valkey server that all replicas share. */
import type { EventLog, EventLogBounds, LoggedEvent, StreamInfo } from '../../contract/plugin.ts'
import { StateUnavailable } from '../../contract/state.ts'
import { heldBytes } from '../../collections/text-memory.ts'
import { copyData } from '../../collections/value-memory.ts'
import { LOG_ENTRY_BYTES, LOG_STREAM_BYTES } from '../memory-event-log.ts'
import { Follower } from './log-follower.ts'
import { LogBatch } from './log-batch.ts'
import type { BatchedEntry, LogBatchObserver } from './log-batch.ts'
import { APPEND, INFO, READ, READ_BACK, REMOVE, RENEW_LOG } from './log-scripts.ts'
import type { LogScriptBounds } from './log-scripts.ts'
import type { Script } from './script.ts'
import { LEAST_LIFE_MS } from './shared-store.ts'
import type { SharedStore } from './shared-store.ts'
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
  readonly #batch: LogBatch
  #boundsText = ''

  constructor(bounds: EventLogBounds<T>, options: SharedEventLogOptions) {
    if (options.owner === undefined && bounds.maxCount === undefined)
      throw new TypeError('an event log needs maxCount, or a store (of) whose entries bound its streams')
    this.#bounds = bounds
    this.#options = options
    this.#batch = new LogBatch({
      send: entries => this.#send(entries),
      canSend: () => options.connection.isUp,
      observer: options.observer,
      onError: options.onError,
    })
    this.#writeBounds()
  }

  async append(stream: string, value: T): Promise<number | undefined> {
    const entry = this.#entryOf(stream, value)
    if (this.#bounds.batched === true) {
      this.#batch.add(entry)
      return undefined
    }
    const [seq] = await this.#send([entry])
    return seq ?? undefined
  }

  async newest(stream: string, limit: number, where?: (value: T) => boolean): Promise<LoggedEvent<T>[]> {
    await this.#flushAll()
    const found: LoggedEvent<T>[] = []
    const pageSize = where === undefined ? Math.min(PAGE_ENTRIES, limit) : PAGE_ENTRIES
    if (!(limit > 0)) return found
    for (let last = '+'; ; ) {
      const page = await this.#read(READ_BACK, this.#nameOf(stream), ['-', last, String(pageSize)])
      for (const entry of page) {
        if (where === undefined || where(entry.value)) found.push(entry)
        if (found.length >= limit) return found
      }
      const oldest = page.at(-1)?.seq ?? 1
      if (oldest <= 1) return found
      last = `${oldest - 1}-0`
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
    return (await this.readInfo('')).bytes
  }

  async clear(stream: string, where?: (value: T) => boolean): Promise<number> {
    const name = this.#nameOf(stream)
    const numbers: string[] = []
    for (const { seq } of await this.newest(stream, Infinity, where)) numbers.push(String(seq))
    let removed = 0
    for (let at = 0; at < numbers.length; at += PAGE_ENTRIES)
      removed += Number(await this.#run('clear', REMOVE, [name, ...numbers.slice(at, at + PAGE_ENTRIES)]))
    return removed
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
        decode: text => this.#options.codec.decode(text, name) as T | undefined,
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

  /** The arguments of an entry that is appended by a script of the store (`of`): bounds, stream, text and sizes. */
  argumentsOf(stream: string, value: T): string[] {
    return [this.#boundsText, ...argumentsOf(this.#entryOf(stream, value))]
  }

  #entryOf(stream: string, value: T): BatchedEntry {
    const name = this.#nameOf(stream)
    return {
      stream: name,
      text: this.#options.codec.encode(value, name),
      bytes: this.#measure(value),
      streamBytes: LOG_STREAM_BYTES + heldBytes(stream),
    }
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
    const start = Math.max(0, Math.min(seq, Number.MAX_SAFE_INTEGER - 1))
    for (let from = start; found.length < limit; from = found.at(-1)!.seq) {
      const page = await this.#read(READ, name, [
        `${from + 1}-0`,
        '+',
        String(Math.min(PAGE_ENTRIES, limit - found.length)),
      ])
      if (page.length === 0) break
      found.push(...page)
    }
    return found
  }

  async readInfo(name: string): Promise<{ isThere: boolean; lastSeq: number; count: number; bytes: number }> {
    const [isThere, lastSeq, count, bytes] = (await this.#run('info', INFO, [name])) as [number, number, number, number]
    return { isThere: isThere === 1, lastSeq, count, bytes }
  }

  async #read(script: Script, name: string, range: readonly string[]): Promise<LoggedEvent<T>[]> {
    const reply = (await this.#run('read', script, [name, ...range])) as (number | string)[]
    const found: LoggedEvent<T>[] = []
    for (let at = 0; at < reply.length; at += 2) {
      const value = this.#options.codec.decode(String(reply[at + 1]), name) as T | undefined
      if (value !== undefined) found.push({ seq: Number(reply[at]), value })
    }
    return found
  }

  async #send(entries: readonly BatchedEntry[]): Promise<(number | null)[]> {
    return (await this.#run('append', APPEND, entries.flatMap(argumentsOf))) as (number | null)[]
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

function argumentsOf({ stream, text, bytes, streamBytes }: BatchedEntry): string[] {
  return [stream, text, String(bytes), String(streamBytes)]
}
