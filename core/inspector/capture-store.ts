/** Keeps captured requests within bounds of count and bytes; the oldest go first. */
import type { CapturedRequest } from './captured-request.ts'
import { sizeOf } from './captured-request.ts'

/** Bytes of headers and bodies of all entries together. */
const MAX_BYTES = 64 * 1024 * 1024

/** A captured request with its place in the order of capture, which only grows. */
export interface Stored {
  readonly sequence: number
  readonly captured: CapturedRequest
}
interface Held extends Stored {
  readonly bytes: number
}

/**
 * A ring by sequence. Every request is stored and few are looked up, so there is no index by id: storing costs the same
 * at every capacity, and a lookup walks the ring from its newest entry.
 */
export class CaptureStore {
  readonly capacity: number
  readonly #maxBytes: number
  /** The entry of a sequence stands at its remainder by the capacity. */
  readonly #ring: (Held | undefined)[] = []
  /** No entry has a lower sequence. */
  #oldest = 1
  #size = 0
  #bytes = 0
  #total = 0

  constructor(capacity: number, maxBytes = MAX_BYTES) {
    this.capacity = capacity
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#size
  }

  /** All that were ever added. */
  get total(): number {
    return this.#total
  }

  add(captured: CapturedRequest): Stored {
    const held = { sequence: ++this.#total, captured, bytes: sizeOf(captured) }
    if (held.sequence - this.#oldest >= this.capacity) this.#removeOldest()
    this.#ring[held.sequence % this.capacity] = held
    this.#size++
    this.#bytes += held.bytes
    while (this.#bytes > this.#maxBytes && this.#size > 1) this.#removeOldest()
    return held
  }

  at(sequence: number): CapturedRequest | undefined {
    return this.#heldAt(sequence)?.captured
  }

  /** Place of the entry with this id. */
  sequenceOf(id: string): number | undefined {
    return this.#newestWhere(captured => captured.id === id)?.sequence
  }

  /** The entry with this id, else the newest with this request id. */
  find(id: string): CapturedRequest | undefined {
    return this.#newestWhere(captured => captured.id === id)?.captured ?? this.ofRequest(id)
  }

  /** The newest entry with this request id. */
  ofRequest(requestId: string): CapturedRequest | undefined {
    return this.#newestWhere(captured => captured.requestId === requestId)?.captured
  }

  /** Newest first. */
  newest(limit: number, where: (captured: CapturedRequest) => boolean): CapturedRequest[] {
    const found: CapturedRequest[] = []
    for (let sequence = this.#total; sequence >= this.#oldest && found.length < limit; sequence--) {
      const captured = this.at(sequence)
      if (captured !== undefined && where(captured)) found.push(captured)
    }
    return found
  }

  /** Sequences above `after`, oldest first. */
  since(after: number, where: (captured: CapturedRequest) => boolean): number[] {
    const found: number[] = []
    for (let sequence = Math.max(after + 1, this.#oldest); sequence <= this.#total; sequence++) {
      const captured = this.at(sequence)
      if (captured !== undefined && where(captured)) found.push(sequence)
    }
    return found
  }

  /** Removes what matches; answers how many. */
  clear(where: (captured: CapturedRequest) => boolean): number {
    const before = this.#size
    for (let sequence = this.#oldest; sequence <= this.#total; sequence++) {
      const captured = this.at(sequence)
      if (captured !== undefined && where(captured)) this.#remove(sequence)
    }
    return before - this.#size
  }

  #heldAt(sequence: number): Held | undefined {
    const held = this.#ring[sequence % this.capacity]
    return held?.sequence === sequence ? held : undefined
  }

  #newestWhere(where: (captured: CapturedRequest) => boolean): Held | undefined {
    for (let sequence = this.#total; sequence >= this.#oldest; sequence--) {
      const held = this.#heldAt(sequence)
      if (held !== undefined && where(held.captured)) return held
    }
    return undefined
  }

  #removeOldest(): void {
    this.#remove(this.#oldest++)
  }

  #remove(sequence: number): void {
    const held = this.#heldAt(sequence)
    if (held === undefined) return
    this.#ring[sequence % this.capacity] = undefined
    this.#size--
    this.#bytes -= held.bytes
  }
}
