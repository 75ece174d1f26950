/** Keeps the newest values, within bounds of count, bytes and age. */
import type { MeasuresMemory, MemoryUse } from './memory-use.ts'

export interface RingBounds<T> {
  maxCount: number
  maxBytes?: number
  /** Size of a value in bytes, computed once. Required with `maxBytes`. */
  sizeOf?: (value: T) => number
  /** Milliseconds after which a value expires. */
  ttlMs?: number
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number
}

/** A value with its sequence number, which starts at 1 and only grows. */
export interface RingEntry<T> {
  readonly sequence: number
  readonly value: T
}

/**
 * A ring buffer by sequence number, for data that every request produces and few readers need. It has no index: adding
 * costs the same at every capacity, and lookups scan from the newest. The newest value is kept even if it exceeds the
 * byte limit on its own.
 */
export class RingBuffer<T> implements MeasuresMemory {
  readonly capacity: number
  readonly #bounds: RingBounds<T>
  readonly #maxBytes: number
  readonly #now: () => number
  /**
   * Four columns; all sequence numbers with the same remainder by the capacity share a slot. Evicted values are not
   * read, because they have long left the processor caches.
   */
  readonly #values: (T | undefined)[] = []
  /** 0 means that the slot is empty. */
  readonly #sequences: number[] = []
  readonly #sizes: number[] = []
  readonly #times: number[] = []
  /** No entry has a lower sequence number. */
  #oldest = 1
  #size = 0
  #bytes = 0
  #total = 0

  constructor(bounds: RingBounds<T>) {
    if (!(bounds.maxCount >= 1)) throw new TypeError('maxCount must be at least 1')
    if (bounds.maxBytes !== undefined && bounds.sizeOf === undefined) throw new TypeError('maxBytes requires sizeOf')
    this.capacity = bounds.maxCount
    this.#bounds = bounds
    this.#maxBytes = bounds.maxBytes ?? Infinity
    this.#now = bounds.now ?? Date.now
  }

  get size(): number {
    this.#dropExpired()
    return this.#size
  }

  /** The number of values ever added. */
  get total(): number {
    return this.#total
  }

  add(value: T): RingEntry<T> {
    const sequence = ++this.#total
    if (sequence - this.#oldest >= this.capacity) this.#removeOldest()
    const place = this.#placeOf(sequence)
    const bytes = this.#bounds.sizeOf?.(value) ?? 0
    this.#values[place] = value
    this.#sequences[place] = sequence
    this.#sizes[place] = bytes
    this.#times[place] = this.#bounds.ttlMs === undefined ? 0 : this.#now()
    this.#size++
    this.#bytes += bytes
    while (this.#bytes > this.#maxBytes && this.#size > 1) this.#removeOldest()
    return { sequence, value }
  }

  /** Bytes are those of `sizeOf`: 0 without it. */
  memoryUse(): MemoryUse {
    return { entries: this.#size, bytes: this.#bytes }
  }

  at(sequence: number): T | undefined {
    return this.#isHeld(sequence) ? this.#values[this.#placeOf(sequence)] : undefined
  }

  /** The newest entry that matches. */
  find(where: (value: T) => boolean): RingEntry<T> | undefined {
    for (const entry of this.#fromNewest()) if (where(entry.value)) return entry
    return undefined
  }

  /** Newest first. */
  newest(limit: number, where: (value: T) => boolean): T[] {
    const found: T[] = []
    for (const { value } of this.#fromNewest()) {
      if (found.length >= limit) break
      if (where(value)) found.push(value)
    }
    return found
  }

  /** Sequence numbers above `after`, oldest first. */
  since(after: number, where: (value: T) => boolean): number[] {
    const found: number[] = []
    for (const { sequence, value } of this.#fromNewest()) {
      if (sequence <= after) break
      if (where(value)) found.push(sequence)
    }
    return found.reverse()
  }

  /** Removes matching values and returns their number. */
  clear(where: (value: T) => boolean): number {
    let removed = 0
    for (const { sequence, value } of this.#fromNewest()) {
      if (!where(value)) continue
      this.#remove(sequence)
      removed++
    }
    return removed
  }

  *#fromNewest(): Generator<RingEntry<T>> {
    this.#dropExpired()
    for (let sequence = this.#total; sequence >= this.#oldest; sequence--) {
      if (this.#isHeld(sequence)) yield { sequence, value: this.#values[this.#placeOf(sequence)] as T }
    }
  }

  #placeOf(sequence: number): number {
    return (sequence - 1) % this.capacity
  }

  #isHeld(sequence: number): boolean {
    return sequence > 0 && this.#sequences[this.#placeOf(sequence)] === sequence
  }

  #dropExpired(): void {
    const { ttlMs } = this.#bounds
    if (ttlMs === undefined) return
    const before = this.#now() - ttlMs
    while (this.#oldest <= this.#total) {
      if (this.#isHeld(this.#oldest) && this.#times[this.#placeOf(this.#oldest)]! > before) return
      this.#removeOldest()
    }
  }

  #removeOldest(): void {
    this.#remove(this.#oldest++)
  }

  #remove(sequence: number): void {
    if (!this.#isHeld(sequence)) return
    const place = this.#placeOf(sequence)
    this.#values[place] = undefined
    this.#sequences[place] = 0
    this.#size--
    this.#bytes -= this.#sizes[place]!
  }
}
