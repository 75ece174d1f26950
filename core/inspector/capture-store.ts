/** Stores captured requests within bounds of count and bytes; the oldest are evicted first. */
import { RingBuffer } from '../collections/ring-buffer.ts'
import { type CapturedRequest, sizeOf } from './captured-request.ts'

/** Maximum memory of all entries in bytes. */
export const MAX_CAPTURE_BYTES = 64 * 1024 * 1024

type Matches = (captured: CapturedRequest) => boolean

/** Where captured requests are read: the ring of the process, or the log of all replicas. */
export interface CaptureSource {
  /** Newest first. */
  newest(limit: number, matches: Matches): CapturedRequest[] | Promise<CapturedRequest[]>
  /** The matching entry with this id, else the newest matching entry with this request id. */
  lookUp(id: string, matches: Matches): CapturedRequest | undefined | Promise<CapturedRequest | undefined>
  /**
   * The newest matching entry with this request id. Clients choose request ids, so several sessions may use the same
   * one.
   */
  ofRequest(requestId: string, matches: Matches): CapturedRequest | undefined | Promise<CapturedRequest | undefined>
  /** Removes matching entries and returns their number. */
  clear(matches: Matches): number | Promise<number>
  counts(): Counts | Promise<Counts>
}

interface Counts {
  stored: number
  total: number
}

export class CaptureStore extends RingBuffer<CapturedRequest> implements CaptureSource {
  constructor(capacity: number, maxBytes = MAX_CAPTURE_BYTES) {
    super({ maxCount: capacity, maxBytes, sizeOf })
  }

  counts(): Counts {
    return { stored: this.size, total: this.total }
  }

  /** Sequence number of the entry with this id. */
  sequenceOf(id: string): number | undefined {
    return this.find(captured => captured.id === id)?.sequence
  }

  lookUp(id: string, matches: Matches): CapturedRequest | undefined {
    return this.find(captured => captured.id === id && matches(captured))?.value ?? this.ofRequest(id, matches)
  }

  ofRequest(requestId: string, matches: Matches): CapturedRequest | undefined {
    return this.find(captured => captured.requestId === requestId && matches(captured))?.value
  }
}
