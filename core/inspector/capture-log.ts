/**
 * The captured requests of all replicas: batched logs that every replica appends to. Used only if replicas share a store;
 * otherwise captured requests are only in the ring of the process.
 */
import type { EventLog, EventLogBounds } from '../contract/plugin.ts'
import { newestByTime } from '../toolkit/newest-by-time.ts'
import type { RingEntry } from '../collections/ring-buffer.ts'
import { CaptureStore, MAX_CAPTURE_BYTES, type CaptureSource } from './capture-store.ts'
import {
  idOf,
  progressOf,
  sizeOf,
  type CapturedNotes,
  type CapturedRequest,
  type Notified,
  type ResponseProgress,
} from './captured-request.ts'
import { sizeOfService } from './captured-service.ts'
import { sizeOfTags } from './tags.ts'

/** A captured request as other replicas read it, with its response at that time. */
export interface LoggedCapture extends CapturedRequest {
  id: string
  replica: string
}

/** How a response ended that was still being sent when its request was logged, or what became of the requests that a rule has sent. */
export interface LoggedEnd extends CapturedNotes {
  id: string
  response: ResponseProgress
  notified?: readonly Notified[]
}

export interface CaptureLogs {
  captures: EventLog<LoggedCapture>
  ends: EventLog<LoggedEnd>
}

/** All replicas append to one stream, so that its order is that of the deployment. */
const STREAM = 'all'
const END_BYTES = 256

export function captureBounds(capacity: number): EventLogBounds<LoggedCapture> {
  return { maxPerStream: capacity, maxCount: capacity, maxBytes: MAX_CAPTURE_BYTES, sizeOf, batched: true }
}

export function endBounds(capacity: number): EventLogBounds<LoggedEnd> {
  return { maxPerStream: capacity, maxCount: capacity, maxBytes: MAX_CAPTURE_BYTES, sizeOf: sizeOfEnd, batched: true }
}

function sizeOfEnd({ response: { head, body }, service, tags, rule }: LoggedEnd): number {
  const notes = (service === undefined ? 0 : sizeOfService(service)) + (tags === undefined ? 0 : sizeOfTags(tags))
  return END_BYTES + (rule?.length ?? 0) + (head?.length ?? 0) + (body?.length ?? 0) + notes
}

export class CaptureLog implements CaptureSource {
  readonly #logs: CaptureLogs
  readonly #replica: string
  readonly #capacity: number
  /** Entries that are logged and still open. */
  readonly #open = new WeakSet<CapturedRequest>()
  #total = 0

  /** `replica` is the instance id that entries of this process show. */
  constructor(logs: CaptureLogs, replica: string, capacity: number) {
    this.#logs = logs
    this.#replica = replica
    this.#capacity = capacity
  }

  /** Logs a request of this process. Nobody waits: entries of a batched log leave later, so only open ones are copied. */
  add(captured: CapturedRequest): void {
    const logged: LoggedCapture = Object.assign(captured, { id: idOf(captured), replica: this.#replica })
    if (logged.response.ended !== 'open') return void this.#logs.captures.append(STREAM, logged)
    this.#open.add(captured)
    void this.#logs.captures.append(STREAM, { ...logged, response: progressOf(logged.response) })
  }

  /** Logs the end of a response. */
  end(captured: CapturedRequest): void {
    if (!this.#open.delete(captured)) return
    void this.#logs.ends.append(STREAM, endOf(captured))
  }

  /** Logs what became of the requests that a rule has sent. */
  noteNotified(captured: CapturedRequest): void {
    void this.#logs.ends.append(STREAM, { ...endOf(captured), notified: captured.notified ?? [] })
  }

  async newest(limit: number, matches: (captured: CapturedRequest) => boolean): Promise<CapturedRequest[]> {
    const timeOf = ({ arrivedAt }: LoggedCapture): number => arrivedAt
    const found = await newestByTime(this.#logs.captures, STREAM, { limit, timeOf, where: matches })
    return this.#withEnds(found.map(({ value }) => value))
  }

  async lookUp(id: string, matches: (captured: CapturedRequest) => boolean): Promise<CapturedRequest | undefined> {
    return (
      (await this.#newest(captured => captured.id === id && matches(captured))) ?? (await this.ofRequest(id, matches))
    )
  }

  ofRequest(requestId: string, matches: (captured: CapturedRequest) => boolean): Promise<CapturedRequest | undefined> {
    return this.#newest(captured => captured.requestId === requestId && matches(captured))
  }

  clear(matches: (captured: CapturedRequest) => boolean): Promise<number> {
    return this.#logs.captures.clear(STREAM, matches)
  }

  /** The total is what this replica has seen of it: the number of the newest entry. */
  async counts(): Promise<{ stored: number; total: number }> {
    const { count, lastSeq } = await this.#logs.captures.info(STREAM)
    this.#total = Math.max(this.#total, lastSeq)
    return { stored: count, total: this.#total }
  }

  /**
   * Loads the stored requests into a ring, oldest first, and then adds new ones. Resolves to a function that stops, when the
   * stored ones are there.
   */
  async copyTo(ring: CaptureStore, onNew: (entry: RingEntry<CapturedRequest>) => void): Promise<() => void> {
    const stored = await this.#logs.captures.newest(STREAM, this.#capacity)
    for (const { value } of stored.toReversed()) ring.add(value)
    return this.#logs.captures.follow(
      STREAM,
      stored[0]?.seq ?? 0,
      (_seq, captured) => onNew(ring.add(captured)),
      () => {},
    )
  }

  async #newest(matches: (captured: CapturedRequest) => boolean): Promise<CapturedRequest | undefined> {
    const found = await this.#logs.captures.find(STREAM, matches)
    return found && (await this.#withEnds([found.value]))[0]
  }

  async #withEnds(found: CapturedRequest[]): Promise<CapturedRequest[]> {
    if (found.every(isFinal)) return found
    const ends = await this.#logs.ends.newest(STREAM, this.#capacity)
    const over = new Map<string, Pick<LoggedEnd, 'response' | keyof CapturedNotes>>()
    const notified = new Map<string, readonly Notified[]>()
    for (const { value } of ends) {
      const { id, notified: sent, ...end } = value
      if (end.response.ended !== 'open' && !over.has(id)) over.set(id, end)
      if (sent !== undefined) notified.set(id, sent)
    }
    return found.map(captured => {
      const id = idOf(captured)
      const known = notified.get(id) ?? captured.notified
      return { ...captured, ...over.get(id), ...(known === undefined ? {} : { notified: known }) }
    })
  }
}

function endOf(captured: CapturedRequest): LoggedEnd {
  const { response, service, tags, rule } = captured
  return {
    id: idOf(captured),
    response: progressOf(response),
    ...(service === undefined ? {} : { service }),
    ...(tags === undefined ? {} : { tags }),
    ...(rule === null ? {} : { rule }),
  }
}

/** Whether nothing about the request is still to come. */
function isFinal({ response, notified = [] }: CapturedRequest): boolean {
  return response.ended !== 'open' && notified.every(({ status, error }) => status !== null || error !== null)
}

/** A ring with the requests of all replicas, filled only while somebody reads it. */
export class FollowedCaptures {
  readonly ring: CaptureStore
  readonly #log: CaptureLog
  readonly #onNew: (entry: RingEntry<CapturedRequest>) => void
  #readers = 0
  #stop: Promise<() => void> | null = null

  constructor(log: CaptureLog, capacity: number, onNew: (entry: RingEntry<CapturedRequest>) => void) {
    this.ring = new CaptureStore(capacity)
    this.#log = log
    this.#onNew = onNew
  }

  /** Resolves when the ring has the stored requests. Call `release` afterwards. */
  async acquire(): Promise<void> {
    this.#readers++
    this.#stop ??= this.#log.copyTo(this.ring, this.#onNew)
    const stop = this.#stop
    await stop.catch((error: unknown) => {
      // The next reader tries again.
      if (this.#stop === stop) this.#stop = null
      throw error
    })
  }

  async release(): Promise<void> {
    this.#readers--
    const stop = await this.#stop?.catch(() => null)
    if (this.#readers > 0 || this.#stop === null) return
    this.#stop = null
    stop?.()
    this.ring.clear(() => true)
  }
}
