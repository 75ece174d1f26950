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

export class CaptureStore {
  readonly capacity: number
  readonly #maxBytes: number
  /** By sequence, oldest first. */
  readonly #stored = new Map<number, Stored & { bytes: number }>()
  readonly #byId = new Map<string, number>()
  /** The newest of each request id. */
  readonly #byRequestId = new Map<string, number>()
  #bytes = 0
  #total = 0

  constructor(capacity: number, maxBytes = MAX_BYTES) {
    this.capacity = capacity
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#stored.size
  }

  /** All that were ever added. */
  get total(): number {
    return this.#total
  }

  add(captured: CapturedRequest): Stored {
    const stored = { sequence: ++this.#total, captured, bytes: sizeOf(captured) }
    this.#stored.set(stored.sequence, stored)
    this.#byId.set(captured.id, stored.sequence)
    this.#byRequestId.set(captured.requestId, stored.sequence)
    this.#bytes += stored.bytes
    while (this.#stored.size > this.capacity || (this.#bytes > this.#maxBytes && this.#stored.size > 1)) this.#removeOldest()
    return stored
  }

  at(sequence: number): CapturedRequest | undefined {
    return this.#stored.get(sequence)?.captured
  }

  /** Place of the entry with this id. */
  sequenceOf(id: string): number | undefined {
    return this.#byId.get(id)
  }

  /** The entry with this id, else the newest with this request id. */
  find(id: string): CapturedRequest | undefined {
    return this.at(this.#byId.get(id) ?? this.#byRequestId.get(id) ?? 0)
  }

  /** The newest entry with this request id. */
  ofRequest(requestId: string): CapturedRequest | undefined {
    return this.at(this.#byRequestId.get(requestId) ?? 0)
  }

  /** Newest first. */
  newest(limit: number, where: (captured: CapturedRequest) => boolean): CapturedRequest[] {
    const found: CapturedRequest[] = []
    for (const { captured } of [...this.#stored.values()].reverse()) {
      if (found.length >= limit) break
      if (where(captured)) found.push(captured)
    }
    return found
  }

  /** Sequences above `after`, oldest first. */
  since(after: number, where: (captured: CapturedRequest) => boolean): number[] {
    return [...this.#stored.values()].filter(stored => stored.sequence > after && where(stored.captured)).map(stored => stored.sequence)
  }

  /** Removes what matches; answers how many. */
  clear(where: (captured: CapturedRequest) => boolean): number {
    const before = this.#stored.size
    for (const stored of this.#stored.values()) if (where(stored.captured)) this.#remove(stored)
    // An older entry may have become the newest of its request id.
    for (const { sequence, captured } of this.#stored.values()) this.#byRequestId.set(captured.requestId, sequence)
    return before - this.#stored.size
  }

  #removeOldest(): void {
    for (const stored of this.#stored.values()) return this.#remove(stored)
  }

  #remove(stored: Stored & { bytes: number }): void {
    const { sequence, captured, bytes } = stored
    this.#stored.delete(sequence)
    this.#byId.delete(captured.id)
    if (this.#byRequestId.get(captured.requestId) === sequence) this.#byRequestId.delete(captured.requestId)
    this.#bytes -= bytes
  }
}
