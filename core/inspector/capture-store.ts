/** Stores captured requests within bounds of count and bytes; the oldest are evicted first. */
import { RingBuffer } from '../collections/ring-buffer.ts'
import type { CapturedRequest } from './captured-request.ts'
import { sizeOf } from './captured-request.ts'

/** Maximum memory of all entries in bytes. */
const MAX_BYTES = 64 * 1024 * 1024

export class CaptureStore extends RingBuffer<CapturedRequest> {
  constructor(capacity: number, maxBytes = MAX_BYTES) {
    super({ maxCount: capacity, maxBytes, sizeOf })
  }

  /** Sequence number of the entry with this id. */
  sequenceOf(id: string): number | undefined {
    return this.find(captured => captured.id === id)?.sequence
  }

  /** The matching entry with this id, else the newest matching entry with this request id. */
  lookUp(id: string, matches: (captured: CapturedRequest) => boolean): CapturedRequest | undefined {
    return this.find(captured => captured.id === id && matches(captured))?.value ?? this.ofRequest(id, matches)
  }

  /**
   * The newest matching entry with this request id. Clients choose request ids, so several sessions may use the same
   * one.
   */
  ofRequest(requestId: string, matches: (captured: CapturedRequest) => boolean): CapturedRequest | undefined {
    return this.find(captured => captured.requestId === requestId && matches(captured))?.value
  }
}
