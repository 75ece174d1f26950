/**
 * Owns the live feeds of bins. A feed keeps no queue of its own: it knows the newest state of its bin and the last
 * request that it sent, and takes the next one when its reader has taken the last. A slow reader misses what the bin
 * itself no longer stores.
 */
import type { SseStream, Svc } from 'svc/plugin'
import type { Bin } from './bin.ts'
import type { BinStore } from './bin-store.ts'

/** Sends what a bin stores after the request numbered `after` (null: nothing), and all that it captures; ends with the bin. */
export type OpenFeed = (stream: SseStream, binId: string, after: number | null) => Promise<void>

/** One subscription for all feeds, so that a capture costs by the readers of its own bin. */
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
    // It listens before it looks: what is captured in between is neither lost nor sent twice.
    const feed = new Feed(stream)
    const ofBin = feeds.get(binId) ?? new Set()
    feeds.set(binId, ofBin.add(feed))
    void stream.over.then(() => {
      ofBin.delete(feed)
      if (ofBin.size === 0 && feeds.get(binId) === ofBin) feeds.delete(binId)
    })
    feed.begin(await bins.find(binId), after)
  }
}

class Feed {
  readonly #stream: SseStream
  #bin: Bin | undefined
  #lastSent = 0
  #isOver = false
  #isWaiting = true

  constructor(stream: SseStream) {
    this.#stream = stream
  }

  /** `bin` as it was found; what the feed has heard of since is newer. */
  begin(bin: Bin | undefined, after: number | null): void {
    this.#bin ??= bin
    const newest = bin?.total ?? 0
    this.#lastSent = Math.min(after ?? newest, newest)
    if (this.#bin === undefined) this.#isOver = true
    this.#goOn()
  }

  /** The bin as it is now, or as it was when it ended. */
  follow(bin: Bin | undefined, isOver: boolean): void {
    this.#bin = bin ?? this.#bin
    this.#isOver = isOver
    if (!this.#isWaiting) this.#pump()
  }

  #goOn(): void {
    this.#isWaiting = false
    if (!this.#stream.closed) this.#pump()
  }

  /** Sends what is due until the reader is behind. */
  #pump(): void {
    for (const captured of this.#bin?.requests ?? []) {
      if (captured.seq <= this.#lastSent) continue
      this.#lastSent = captured.seq
      if (this.#stream.send({ id: captured.seq, event: 'request', data: captured })) continue
      this.#isWaiting = true
      void this.#stream.ready().then(() => this.#goOn())
      return
    }
    if (this.#isOver) this.#stream.end()
  }
}
