/** Keeps the newest of what comes in, within bounds of count, bytes and age. */

export interface RingBounds<T> {
  maxCount: number
  maxBytes?: number
  /** Bytes of a value, asked once. Needed with `maxBytes`. */
  sizeOf?: (value: T) => number
  /** Milliseconds after which a value counts as gone. */
  ttlMs?: number
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number
}

/** A value with its place in the order of coming in, which starts at 1 and only grows. */
export interface RingEntry<T> {
  readonly sequence: number
  readonly value: T
}
interface Held<T> extends RingEntry<T> {
  readonly bytes: number
  readonly at: number
}

/**
 * A ring by sequence. It is for what every request leaves behind and few ask for: there is no index, so adding costs the
 * same at every capacity, and a look walks from the newest. The newest is kept even where it is over the bytes by itself.
 */
export class Ring<T> {
  readonly capacity: number
  readonly #bounds: RingBounds<T>
  readonly #maxBytes: number
  readonly #now: () => number
  /** The entry of a sequence stands at its remainder by the capacity. */
  readonly #held: (Held<T> | undefined)[] = []
  /** No entry has a lower sequence. */
  #oldest = 1
  #size = 0
  #bytes = 0
  #total = 0

  constructor(bounds: RingBounds<T>) {
    if (!(bounds.maxCount >= 1)) throw new TypeError('a ring holds one value at least')
    if (bounds.maxBytes !== undefined && bounds.sizeOf === undefined) throw new TypeError('maxBytes needs sizeOf')
    this.capacity = bounds.maxCount
    this.#bounds = bounds
    this.#maxBytes = bounds.maxBytes ?? Infinity
    this.#now = bounds.now ?? Date.now
  }

  get size(): number {
    this.#dropExpired()
    return this.#size
  }

  /** All that were ever added. */
  get total(): number {
    return this.#total
  }

  add(value: T): RingEntry<T> {
    const held = { sequence: ++this.#total, value, bytes: this.#bounds.sizeOf?.(value) ?? 0, at: this.#bounds.ttlMs === undefined ? 0 : this.#now() }
    if (held.sequence - this.#oldest >= this.capacity) this.#removeOldest()
    this.#held[held.sequence % this.capacity] = held
    this.#size++
    this.#bytes += held.bytes
    while (this.#bytes > this.#maxBytes && this.#size > 1) this.#removeOldest()
    return held
  }

  at(sequence: number): T | undefined {
    return this.#heldAt(sequence)?.value
  }

  /** The newest entry that matches. */
  find(where: (value: T) => boolean): RingEntry<T> | undefined {
    for (const held of this.#fromNewest()) if (where(held.value)) return held
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

  /** Sequences above `after`, oldest first. */
  since(after: number, where: (value: T) => boolean): number[] {
    const found: number[] = []
    for (const { sequence, value } of this.#fromNewest()) {
      if (sequence <= after) break
      if (where(value)) found.push(sequence)
    }
    return found.reverse()
  }

  /** Removes what matches; answers how many. */
  clear(where: (value: T) => boolean): number {
    let removed = 0
    for (const { sequence, value } of this.#fromNewest()) {
      if (!where(value)) continue
      this.#remove(sequence)
      removed++
    }
    return removed
  }

  *#fromNewest(): Generator<Held<T>> {
    this.#dropExpired()
    for (let sequence = this.#total; sequence >= this.#oldest; sequence--) {
      const held = this.#heldAt(sequence)
      if (held !== undefined) yield held
    }
  }

  #heldAt(sequence: number): Held<T> | undefined {
    const held = this.#held[sequence % this.capacity]
    return held?.sequence === sequence ? held : undefined
  }

  #dropExpired(): void {
    const { ttlMs } = this.#bounds
    if (ttlMs === undefined) return
    const before = this.#now() - ttlMs
    while (this.#oldest <= this.#total) {
      const held = this.#heldAt(this.#oldest)
      if (held !== undefined && held.at > before) return
      this.#removeOldest()
    }
  }

  #removeOldest(): void {
    this.#remove(this.#oldest++)
  }

  #remove(sequence: number): void {
    const held = this.#heldAt(sequence)
    if (held === undefined) return
    this.#held[sequence % this.capacity] = undefined
    this.#size--
    this.#bytes -= held.bytes
  }
}
