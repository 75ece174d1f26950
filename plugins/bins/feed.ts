/**
 * Live streams of captured requests. A stream queues no more than its bin stores: a slow client misses requests that the bin
 * has dropped.
 */
import type { LoggedEvent, SseStream } from 'svc/plugin'
import type { BinStore } from './bin-store.ts'
import { numbered, storedBytes, type CapturedRequest } from './captured-request.ts'
import type { BinLimits } from './limits.ts'

/**
 * Sends the stored requests after the sequence number `after` (none if null), then every new request. Ends when the bin
 * is removed.
 */
export type OpenFeed = (stream: SseStream, binId: string, after: number | null) => Promise<void>

export function createFeeds(bins: BinStore, limits: BinLimits): OpenFeed {
  return async (stream, binId, after) => {
    const { lastSeq } = await bins.info(binId)
    const feed = new Feed(stream, limits)
    const stop = bins.follow(
      binId,
      Math.min(after ?? lastSeq, lastSeq),
      event => feed.add(event),
      () => feed.end(),
    )
    void stream.over.then(stop)
  }
}

class Feed {
  readonly #stream: SseStream
  readonly #limits: BinLimits
  /** Oldest first. While the bin stores them, these are the same objects. */
  readonly #pending: LoggedEvent<CapturedRequest>[] = []
  #pendingBytes = 0
  #isEnding = false
  #isWaiting = false

  constructor(stream: SseStream, limits: BinLimits) {
    this.#stream = stream
    this.#limits = limits
  }

  add(event: LoggedEvent<CapturedRequest>): void {
    this.#pending.push(event)
    this.#pendingBytes += storedBytes(event.value)
    while (
      this.#pending.length > this.#limits.max_requests ||
      (this.#pending.length > 0 && this.#pendingBytes > this.#limits.max_bytes_per_bin)
    )
      this.#take()
    this.#pump()
  }

  /** Ends the stream after the pending requests. */
  end(): void {
    this.#isEnding = true
    this.#pump()
  }

  /** Sends pending requests until the client falls behind. */
  #pump(): void {
    while (!this.#isWaiting && this.#pending.length > 0) {
      const event = this.#take()!
      if (this.#stream.send({ id: event.seq, event: 'request', data: numbered(event) })) continue
      this.#isWaiting = true
      void this.#stream.ready().then(() => {
        this.#isWaiting = false
        if (!this.#stream.closed) this.#pump()
      })
    }
    if (this.#isEnding && !this.#isWaiting) this.#stream.end()
  }

  #take(): LoggedEvent<CapturedRequest> | undefined {
    const event = this.#pending.shift()
    if (event !== undefined) this.#pendingBytes -= storedBytes(event.value)
    return event
  }
}
