/** Entries of a batched log that wait to be sent: many leave at once, and no request waits for them. */
import type { LogBatchObserver } from '../../core/state/shared-backend.ts'

const SEND_AFTER_MS = 50
/** Maximum number and size of the entries in one segment, and size of all segments that are sent at once. */
const SEGMENT_ENTRIES = 64
const SEGMENT_BYTES = 128 * 1024
const SENT_BYTES = 1024 * 1024
/** More than this is not kept while the store is slow or unavailable; the oldest entries are dropped. */
const MAX_WAITING = 4096
const MAX_WAITING_BYTES = 16 * 1024 * 1024
/** Entries of this size are sent without waiting for the timer. */
const SEND_AT_BYTES = MAX_WAITING_BYTES / 2

export interface BatchedEntry<T> {
  value: T
  bytes: number
}

/** Entries of one stream that are stored as one. */
export interface BatchedSegment<T> {
  stream: string
  entries: readonly BatchedEntry<T>[]
  /** Number of entries before these that the bounds of the log would drop at once. */
  skipped: number
}

export interface LogBatchOptions<T> {
  /** Maximum number of entries that a stream keeps. */
  maxPerStream(): number
  send(segments: readonly BatchedSegment<T>[]): Promise<unknown>
  canSend(): boolean
  observer?: LogBatchObserver | undefined
  onError(error: unknown): void
}

interface WaitingStream<T> {
  entries: BatchedEntry<T>[]
  skipped: number
}

export class LogBatch<T> {
  readonly #options: LogBatchOptions<T>
  readonly #streams = new Map<string, WaitingStream<T>>()
  #count = 0
  #bytes = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  #sending: Promise<void> = Promise.resolve()

  constructor(options: LogBatchOptions<T>) {
    this.#options = options
  }

  /** Entries that come after `close` are not kept. */
  add(stream: string, entry: BatchedEntry<T>): void {
    if (this.#isClosed) return
    let waiting = this.#streams.get(stream)
    if (waiting === undefined) this.#streams.set(stream, (waiting = { entries: [], skipped: 0 }))
    waiting.entries.push(entry)
    this.#count += 1
    this.#bytes += entry.bytes
    if (waiting.entries.length >= 2 * this.#options.maxPerStream()) this.#skip(waiting)
    this.#dropExcess()
    if (this.#bytes >= SEND_AT_BYTES && this.#bytes - entry.bytes < SEND_AT_BYTES) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), SEND_AFTER_MS)
  }

  /** Sends all entries. Resolves when they were sent, or can't be; those are sent later. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#sending = this.#sending.then(() => this.#send())
    return this.#sending
  }

  async close(): Promise<void> {
    await this.flush()
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#streams.clear()
  }

  async #send(): Promise<void> {
    while (this.#count > 0 && this.#options.canSend()) {
      const segments = this.#take()
      const count = segments.reduce((sum, { entries }) => sum + entries.length, 0)
      try {
        await this.#options.send(segments)
      } catch (error) {
        // A full store keeps nothing; an unavailable one gets the entries later.
        if (isFull(error)) this.#options.observer?.dropped(count)
        else if (isUnavailable(error)) this.#putBack(segments)
        else this.#options.onError(error)
        if (!isFull(error)) break
      }
    }
    this.#dropExcess()
    this.#options.observer?.waiting(this.#count)
    if (this.#count > 0) this.#timer ??= setTimeout(() => void this.flush(), SEND_AFTER_MS)
  }

  /** Takes the oldest entries, as many as are sent at once. */
  #take(): BatchedSegment<T>[] {
    const segments: BatchedSegment<T>[] = []
    let bytes = 0
    for (const [stream, waiting] of this.#streams) {
      this.#skip(waiting)
      let { skipped } = waiting
      let taken = 0
      while (taken < waiting.entries.length && bytes < SENT_BYTES) {
        const end = endOfSegment(waiting.entries, taken)
        const entries = waiting.entries.slice(taken, end)
        bytes += bytesOf(entries)
        segments.push({ stream, entries, skipped })
        skipped = 0
        taken = end
      }
      this.#count -= taken
      waiting.entries.splice(0, taken)
      waiting.skipped = skipped
      if (waiting.entries.length > 0) break
      this.#streams.delete(stream)
    }
    this.#bytes -= bytes
    return segments
  }

  #putBack(segments: readonly BatchedSegment<T>[]): void {
    for (const { stream, entries, skipped } of segments.toReversed()) {
      const waiting = this.#streams.get(stream)
      if (waiting === undefined) this.#streams.set(stream, { entries: [...entries], skipped })
      else {
        waiting.entries.unshift(...entries)
        waiting.skipped += skipped
      }
      this.#count += entries.length
      this.#bytes += bytesOf(entries)
    }
  }

  /** The bounds would drop these entries as soon as the ones after them are appended. */
  #skip(waiting: WaitingStream<T>): void {
    const excess = waiting.entries.length - this.#options.maxPerStream()
    if (excess <= 0) return
    waiting.skipped += excess
    this.#remove(waiting, excess)
  }

  #remove(waiting: WaitingStream<T>, count: number): void {
    const removed = waiting.entries.splice(0, count)
    this.#count -= removed.length
    this.#bytes -= bytesOf(removed)
  }

  #dropExcess(): void {
    let dropped = 0
    while (this.#count > MAX_WAITING || this.#bytes > MAX_WAITING_BYTES) {
      const [stream, waiting] = this.#streams.entries().next().value!
      this.#remove(waiting, 1)
      if (waiting.entries.length === 0) this.#streams.delete(stream)
      dropped += 1
    }
    if (dropped > 0) this.#options.observer?.dropped(dropped)
  }
}

/** Where the segment ends that begins at an index; it has at least one entry. */
function endOfSegment(entries: readonly BatchedEntry<unknown>[], start: number): number {
  let bytes = 0
  let end = start
  while (end < entries.length && end - start < SEGMENT_ENTRIES && bytes < SEGMENT_BYTES) bytes += entries[end++]!.bytes
  return end
}

function bytesOf(entries: readonly BatchedEntry<unknown>[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0)
}

function isUnavailable(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'STATE_UNAVAILABLE'
}

function isFull(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'STATE_FULL'
}
