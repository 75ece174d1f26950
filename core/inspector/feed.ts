/** Live feeds of captured requests: the queue of each reader, delivered at its own pace. */
import type { RingEntry } from '../collections/ring-buffer.ts'
import type { CaptureStore } from './capture-store.ts'
import { idOf, toEntry, type CapturedRequest } from './captured-request.ts'

/** Maximum number of new entries queued for a slow reader; further ones are skipped. */
const MAX_WAITING = 256

/** The stream that receives the events of a feed. */
export interface FeedStream {
  /** Returns false if the reader is slow; then wait for `ready`. */
  send(event: { event: string; id: string; data: string }): boolean
  ready(): Promise<void>
  readonly closed: boolean
  readonly over: Promise<unknown>
}

interface Feed {
  readonly stream: FeedStream
  readonly matches: (captured: CapturedRequest) => boolean
  /**
   * Sequence numbers to send, oldest first. The entries themselves stay in the store, so that slow readers hold no
   * memory.
   */
  readonly waiting: number[]
  /** Number of elements in `waiting` that were stored before the feed opened; they do not count against the limit. */
  replaying: number
  isPumping: boolean
}

export class Feeds {
  readonly #store: CaptureStore
  readonly #max: number
  readonly #open = new Set<Feed>()
  /** Entries are serialized once for all feeds. */
  #printed: { id: string; data: string } = { id: '', data: '' }

  constructor(store: CaptureStore, max: number) {
    this.#store = store
    this.#max = max
  }

  get isFull(): boolean {
    return this.#open.size >= this.#max
  }

  /**
   * Sends entries to a stream until it ends. With `lastEventId`, the stored entries after that one come first, or all
   * stored entries if it was evicted; null sends only new ones.
   */
  open(stream: FeedStream, matches: (captured: CapturedRequest) => boolean, lastEventId: string | null): void {
    const waiting = lastEventId === null ? [] : this.#store.since(this.#store.sequenceOf(lastEventId) ?? 0, matches)
    const feed: Feed = { stream, matches, waiting, replaying: waiting.length, isPumping: false }
    this.#open.add(feed)
    void stream.over.then(() => this.#open.delete(feed))
    void this.#pump(feed)
  }

  publish({ sequence, value: captured }: RingEntry<CapturedRequest>): void {
    for (const feed of this.#open) {
      if (feed.waiting.length - feed.replaying >= MAX_WAITING || !feed.matches(captured)) continue
      feed.waiting.push(sequence)
      void this.#pump(feed)
    }
  }

  async #pump(feed: Feed): Promise<void> {
    if (feed.isPumping) return
    feed.isPumping = true
    for (
      let sequence = feed.waiting.shift();
      sequence !== undefined && !feed.stream.closed;
      sequence = feed.waiting.shift()
    ) {
      if (feed.replaying > 0) feed.replaying--
      const captured = this.#store.at(sequence)
      if (captured !== undefined && !this.#send(feed, captured)) await feed.stream.ready()
    }
    feed.isPumping = false
  }

  #send({ stream }: Feed, captured: CapturedRequest): boolean {
    const id = idOf(captured)
    if (this.#printed.id !== id) this.#printed = { id, data: JSON.stringify(toEntry(captured)) }
    return stream.send({ event: 'request', id, data: this.#printed.data })
  }
}
