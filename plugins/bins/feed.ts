/**
 * Live streams of captured requests. A stream has no queue: it keeps the newest state of its bin and the number of the
 * last request sent, and sends the next one when the client is ready. A slow client misses requests that the bin no
 * longer stores.
 */
import type { SseStream, Svc } from 'svc/plugin'
import type { Bin } from './bin.ts'
import type { BinStore } from './bin-store.ts'

/**
 * Sends the stored requests after the sequence number `after` (none if null), then every new request. Ends when the bin
 * is removed.
 */
export type OpenFeed = (stream: SseStream, binId: string, after: number | null) => Promise<void>

/** All streams share one subscription, so the cost of a capture depends only on the clients of that bin. */
export function createFeeds(svc: Svc, bins: BinStore): OpenFeed {
  const feeds = new Map<string, Set<Feed>>()
  /** Changes may have been missed. */
  const lookAgain = async (): Promise<void> => {
    for (const [id, ofBin] of feeds) {
      const bin = await bins.find(id)
      for (const feed of ofBin) feed.follow(bin, bin === undefined)
    }
  }
  svc.whenClosed(
    bins.subscribe(change => {
      if (change.kind === 'reset') void lookAgain()
      else for (const feed of feeds.get(change.key) ?? []) feed.follow(change.value, change.kind !== 'set')
    }),
  )
  return async (stream, binId, after) => {
    // Subscribes before it reads the bin, so that no request is lost or sent twice.
    const feed = new Feed(stream)
    const feedsOfBin = feeds.get(binId) ?? new Set()
    feeds.set(binId, feedsOfBin.add(feed))
    void stream.over.then(() => {
      feedsOfBin.delete(feed)
      if (feedsOfBin.size === 0 && feeds.get(binId) === feedsOfBin) feeds.delete(binId)
    })
    feed.begin(await bins.find(binId), after)
  }
}

class Feed {
  readonly #stream: SseStream
  #bin: Bin | undefined
  #lastSent = 0
  #isRemoved = false
  #isWaiting = true

  constructor(stream: SseStream) {
    this.#stream = stream
  }

  /** `bin` is the state that was read; a state received from the subscription is newer. */
  begin(bin: Bin | undefined, after: number | null): void {
    this.#bin ??= bin
    const newest = bin?.total ?? 0
    this.#lastSent = Math.min(after ?? newest, newest)
    if (this.#bin === undefined) this.#isRemoved = true
    this.#resume()
  }

  /** The bin as it is now, or as it was when it ended. */
  follow(bin: Bin | undefined, isOver: boolean): void {
    this.#bin = bin ?? this.#bin
    this.#isRemoved = isOver
    if (!this.#isWaiting) this.#pump()
  }

  #resume(): void {
    this.#isWaiting = false
    if (!this.#stream.closed) this.#pump()
  }

  /** Sends pending requests until the client falls behind. */
  #pump(): void {
    for (const captured of this.#bin?.requests ?? []) {
      if (captured.seq <= this.#lastSent) continue
      this.#lastSent = captured.seq
      if (this.#stream.send({ id: captured.seq, event: 'request', data: captured })) continue
      this.#isWaiting = true
      void this.#stream.ready().then(() => this.#resume())
      return
    }
    if (this.#isRemoved) this.#stream.end()
  }
}
