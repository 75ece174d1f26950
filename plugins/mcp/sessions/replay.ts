/** Owns the messages that are kept for interrupted connections, limited per session and in total. */
import { heldBytes } from 'svc/plugin'

export interface KeptMessage {
  readonly stream: number
  /** Position in its stream, from 1. */
  readonly sequence: number
  readonly text: string
}

interface Entry extends KeptMessage {
  readonly log: ReplayLog
  readonly bytes: number
}

export interface ReplayBounds {
  messages: number
  bytes: number
  /** Total bytes of all sessions. */
  totalBytes: number
}

/** Memory of a message without its text: the object and its entries in two sets. */
const MESSAGE_BYTES = 320

/** The logs of all sessions. Sets keep insertion order, so the first message is the oldest. */
export class ReplayStore {
  readonly #bounds: ReplayBounds
  readonly #entries = new Set<Entry>()
  #bytes = 0

  constructor(bounds: ReplayBounds) {
    this.#bounds = bounds
  }

  get bytes(): number {
    return this.#bytes
  }

  open(): ReplayLog {
    return new ReplayLog(this)
  }

  /** Keeps a message and drops the oldest messages over the limits. */
  keep(log: ReplayLog, message: KeptMessage): void {
    const entry: Entry = { ...message, log, bytes: MESSAGE_BYTES + heldBytes(message.text) }
    this.#entries.add(entry)
    log.add(entry)
    this.#bytes += entry.bytes
    while (log.entries.size > this.#bounds.messages || log.bytes > this.#bounds.bytes) this.#forgetFirst(log.entries)
    while (this.#bytes > this.#bounds.totalBytes) this.#forgetFirst(this.#entries)
  }

  forgetAll(log: ReplayLog): void {
    for (const entry of log.entries) this.#forget(entry)
  }

  #forgetFirst(entries: Set<Entry>): void {
    for (const entry of entries) return this.#forget(entry)
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry)
    entry.log.remove(entry)
    this.#bytes -= entry.bytes
  }
}

/** The messages of one session. */
export class ReplayLog {
  readonly #store: ReplayStore
  readonly #countOf = new Map<number, number>()
  #isClosed = false
  readonly entries = new Set<Entry>()
  bytes = 0

  constructor(store: ReplayStore) {
    this.#store = store
  }

  keep(message: KeptMessage): void {
    if (!this.#isClosed) this.#store.keep(this, message)
  }

  /** The kept messages of a stream after a position, in order. */
  after(stream: number, sequence: number): KeptMessage[] {
    return [...this.entries].filter(entry => entry.stream === stream && entry.sequence > sequence)
  }

  holds(stream: number): boolean {
    return this.#countOf.has(stream)
  }

  /** Only for the store. */
  add(entry: Entry): void {
    this.entries.add(entry)
    this.bytes += entry.bytes
    this.#countOf.set(entry.stream, (this.#countOf.get(entry.stream) ?? 0) + 1)
  }

  /** Only for the store. */
  remove(entry: Entry): void {
    this.entries.delete(entry)
    this.bytes -= entry.bytes
    const left = (this.#countOf.get(entry.stream) ?? 1) - 1
    if (left > 0) this.#countOf.set(entry.stream, left)
    else this.#countOf.delete(entry.stream)
  }

  /** Drops all messages and keeps no more, because calls may outlive their session. */
  close(): void {
    this.#isClosed = true
    this.#store.forgetAll(this)
  }
}
