/** The captured requests: in the ring of this process and, if replicas share a store, in the log of all. */
import type { RingEntry } from '../collections/ring-buffer.ts'
import { CaptureLog, FollowedCaptures, type CaptureLogs } from './capture-log.ts'
import { CaptureStore, type CaptureSource } from './capture-store.ts'
import { progressOf, type CapturedNotes, type CapturedRequest } from './captured-request.ts'
import { Feeds, type FeedStream } from './feed.ts'

type Matches = (captured: CapturedRequest) => boolean

export interface Captures {
  readonly capacity: number
  /** Whether entries are those of all replicas. */
  readonly isShared: boolean
  /** Whether this process has captured a call of a service. */
  readonly hasServices: boolean
  /** Whether the store of all replicas is unavailable, so that only the requests of this one are shown. */
  readonly isPartial: boolean
  readonly isFeedFull: boolean
  /** The source of all reads, once all requests with sent headers were added. */
  source(): CaptureSource
  /** Matching entries, oldest first. */
  stored(matches: Matches): Promise<CapturedRequest[]>
  add(captured: CapturedRequest): CapturedRequest
  /** Shows notes of a stored request whose response is still being sent. */
  note(captured: CapturedRequest, notes: CapturedNotes): void
  /** The response of a stored request has ended. */
  end(captured: CapturedRequest, notes: CapturedNotes): void
  /** The requests that a rule has sent are done. */
  noteNotified(captured: CapturedRequest): void
  /** Calls `listener` with every new request. Returns a function that stops. */
  onCapture(listener: (captured: CapturedRequest) => void): () => void
  openFeed(stream: FeedStream, matches: Matches, lastEventId: string | null): Promise<void>
  /** Removes matching entries and returns their number. */
  clear(matches: Matches): Promise<number>
  /** Of the ring of this process. */
  memoryUse: CaptureStore['memoryUse']
}

export interface CapturesOptions {
  capacity: number
  instanceId: string
  maxFeeds: number
  /** Null if there is no shared store. */
  logs: CaptureLogs | null
  isPartial(): boolean
  /** Adds all requests with sent headers. */
  flush(): void
}

export function openCaptures({ capacity, instanceId, maxFeeds, logs, isPartial, flush }: CapturesOptions): Captures {
  const store = new CaptureStore(capacity)
  const log = logs === null ? null : new CaptureLog(logs, instanceId, store.capacity)
  let hasServices = false
  const listeners = new Set<(captured: CapturedRequest) => void>()
  const publish = (entry: RingEntry<CapturedRequest>): void => {
    feeds.publish(entry)
    for (const listener of listeners) listener(entry.value)
  }
  // With a log, feeds follow it.
  const followed = log && new FollowedCaptures(log, store.capacity, publish)
  const feeds = new Feeds(followed?.ring ?? store, maxFeeds)
  const source = (): CaptureSource => {
    flush()
    return log === null || isPartial() ? store : log
  }
  return {
    capacity: store.capacity,
    isShared: log !== null,
    get hasServices() {
      return hasServices
    },
    get isPartial() {
      return isPartial()
    },
    get isFeedFull() {
      return feeds.isFull
    },
    source,
    stored: async matches => (await source().newest(store.capacity, matches)).reverse(),
    add(captured) {
      hasServices ||= captured.service !== undefined
      const entry = store.add(captured)
      if (log === null) publish(entry)
      else log.add(entry.value)
      return entry.value
    },
    note(captured, notes) {
      hasServices ||= notes.service !== undefined
      Object.assign(captured, notes)
    },
    end(captured, notes) {
      this.note(captured, notes)
      captured.response = progressOf(captured.response)
      log?.end(captured)
    },
    noteNotified: captured => log?.noteNotified(captured),
    onCapture(listener) {
      listeners.add(listener)
      // While the store is unavailable, only new requests of other replicas are missed.
      followed?.acquire().catch(() => {})
      return () => {
        listeners.delete(listener)
        followed?.release().catch(() => {})
      }
    },
    async openFeed(stream, matches, lastEventId) {
      flush()
      if (followed !== null) {
        void stream.over.then(() => followed.release()).catch(() => {})
        await followed.acquire()
      }
      feeds.open(stream, matches, lastEventId)
    },
    async clear(matches) {
      if (log !== null) store.clear(matches)
      return source().clear(matches)
    },
    memoryUse: () => store.memoryUse(),
  }
}
