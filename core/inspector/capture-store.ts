/** Keeps captured requests within bounds of count and bytes; the oldest go first. */
import { RingBuffer } from '../collections/ring-buffer.ts'
import type { CapturedRequest } from './captured-request.ts'
import { sizeOf } from './captured-request.ts'

/** Bytes of memory of all entries together. */
const MAX_BYTES = 64 * 1024 * 1024

export class CaptureStore extends RingBuffer<CapturedRequest> {
  constructor(capacity: number, maxBytes = MAX_BYTES) {
    super({ maxCount: capacity, maxBytes, sizeOf })
  }

  /** Place of the entry with this id. */
  sequenceOf(id: string): number | undefined {
    return this.find(captured => captured.id === id)?.sequence
  }

  /** Of the entries that match: the one with this id, else the newest with this request id. */
  lookUp(id: string, matches: (captured: CapturedRequest) => boolean): CapturedRequest | undefined {
    return this.find(captured => captured.id === id && matches(captured))?.value ?? this.ofRequest(id, matches)
  }

  /** The newest entry with this request id that matches: clients choose request ids, so several sessions may use one. */
  ofRequest(requestId: string, matches: (captured: CapturedRequest) => boolean): CapturedRequest | undefined {
    return this.find(captured => captured.requestId === requestId && matches(captured))?.value
  }
}
