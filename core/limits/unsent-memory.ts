/**
 * Bounds the memory of bytes that clients do not read: of event streams, WebSockets, gRPC calls and HTTP bodies, for each
 * client and in total. What is above a bound is freed by ending streams, the slowest first; all others go on.
 */
import type { Budgets } from '../contract/budgets.ts'
import { systemClock, type Clock } from './clock.ts'

export type UnsentBounds = Pick<Budgets, 'unsentStreamBytes' | 'unsentClientBytes' | 'unsentTotalBytes'>

/** A stream whose client may not read. */
export interface UnsentStream {
  /** Ends it at once, with all its bytes. */
  cutOff(): void
  /** Reports its current bytes with `UnsentShare.set`. Absent if every change is reported at once. */
  measure?(): void
}

/** How long a stream may send nothing while its client is above its bound, */
export const PATIENCE_MS = 1000
/** and the time that its bytes take at this rate, in bytes per millisecond (128 KiB a second). */
const SLOWEST_RATE = 128
/** A stream that exceeds its bound by this factor has a writer that never waits. */
const STREAM_BURST = 64

interface Client {
  readonly address: string
  shares: number
  unsent: number
  /** Shares with unsent bytes, those that have sent nothing for the longest time first. */
  readonly waiting: Set<UnsentShare>
}

/** The unsent bytes of one stream. */
export class UnsentShare {
  readonly stream: UnsentStream
  readonly client: Client
  /** When it last sent something, on the clock of the memory. */
  sentAt: number
  unsent = 0
  /** Set when it has ended: what is reported later no longer counts. */
  isOver = false
  readonly #memory: UnsentMemory

  constructor(memory: UnsentMemory, stream: UnsentStream, client: Client) {
    this.#memory = memory
    this.stream = stream
    this.client = client
    this.sentAt = memory.now()
  }

  /** Sets the unsent bytes. `hasSent`: the client has read something since the last call. May end streams. */
  set(bytes: number, hasSent: boolean): void {
    this.#memory.set(this, bytes, hasSent)
  }

  /** Whether the writer has to wait. */
  get isFull(): boolean {
    return this.unsent > this.#memory.bounds.unsentStreamBytes
  }

  /** Whether the writer never waits. Such a stream is to be ended before it writes more. */
  get isOverflowing(): boolean {
    return this.unsent > STREAM_BURST * this.#memory.bounds.unsentStreamBytes
  }

  /** The stream has ended. */
  release(): void {
    this.#memory.release(this)
  }
}

export class UnsentMemory {
  readonly bounds: UnsentBounds
  readonly #clock: Clock
  readonly #clients = new Map<string, Client>()
  readonly #waiting = new Set<UnsentShare>()
  /** Clients above their bound. */
  readonly #exceeding = new Set<Client>()
  #unsent = 0
  #isTimerSet = false
  #isMeasuring = false

  constructor(bounds: UnsentBounds, clock: Clock = systemClock) {
    this.bounds = bounds
    this.#clock = clock
  }

  /** Unsent bytes of all streams, as last reported. */
  get unsent(): number {
    return this.#unsent
  }

  now(): number {
    return this.#clock.now()
  }

  /** Adds a stream of a client, by its address. */
  open(address: string, stream: UnsentStream): UnsentShare {
    let client = this.#clients.get(address)
    if (client === undefined) {
      client = { address, shares: 0, unsent: 0, waiting: new Set() }
      this.#clients.set(address, client)
    }
    client.shares++
    return new UnsentShare(this, stream, client)
  }

  set(share: UnsentShare, bytes: number, hasSent: boolean): void {
    if (share.isOver) return
    const { client } = share
    if (hasSent || share.unsent === 0) {
      share.sentAt = this.now()
      this.#waiting.delete(share)
      client.waiting.delete(share)
    }
    const added = bytes - share.unsent
    share.unsent = bytes
    client.unsent += added
    this.#unsent += added
    if (bytes > 0) {
      this.#waiting.add(share)
      client.waiting.add(share)
    } else {
      this.#waiting.delete(share)
      client.waiting.delete(share)
    }
    if (added > 0 && !this.#isMeasuring) this.#enforce(client)
  }

  release(share: UnsentShare): void {
    const { client } = share
    this.set(share, 0, false)
    share.isOver = true
    if (--client.shares > 0) return
    this.#clients.delete(client.address)
    this.#exceeding.delete(client)
  }

  /** Ends the slowest stream that is not read, to free memory for others; returns false if all are read. */
  endSlowest(): boolean {
    this.#measure(this.#waiting)
    for (const share of this.#waiting) {
      if (this.now() - share.sentAt < PATIENCE_MS) return false
      if (share.isFull) {
        this.#cutOff(share)
        return true
      }
    }
    return false
  }

  #enforce(client: Client): void {
    const { unsentClientBytes, unsentTotalBytes } = this.bounds
    if (this.#unsent > unsentTotalBytes) {
      this.#measure(this.#waiting)
      while (this.#unsent > unsentTotalBytes && this.#waiting.size > 0) this.#cutOff(first(this.#waiting))
    }
    if (client.unsent <= unsentClientBytes) return
    this.#exceeding.add(client)
    this.#setTimer()
  }

  #setTimer(): void {
    if (this.#isTimerSet) return
    this.#isTimerSet = true
    this.#clock.after(PATIENCE_MS, () => {
      this.#isTimerSet = false
      for (const client of this.#exceeding) this.#endSlow(client)
      if (this.#exceeding.size > 0) this.#setTimer()
    })
  }

  /** Ends streams of a client that are hardly read, while it is above its bound. */
  #endSlow(client: Client): void {
    const { unsentClientBytes } = this.bounds
    this.#measure(client.waiting)
    const slowestFirst = Array.from(client.waiting)
    for (const share of slowestFirst) {
      if (client.unsent <= unsentClientBytes) break
      if (this.now() - share.sentAt >= PATIENCE_MS + share.unsent / SLOWEST_RATE) this.#cutOff(share)
    }
    if (client.unsent <= unsentClientBytes) this.#exceeding.delete(client)
  }

  #measure(shares: Iterable<UnsentShare>): void {
    this.#isMeasuring = true
    // Measuring changes the order.
    const all = [...shares]
    for (const share of all) share.stream.measure?.()
    this.#isMeasuring = false
  }

  #cutOff(share: UnsentShare): void {
    this.set(share, 0, false)
    share.isOver = true
    share.stream.cutOff()
  }
}

function first(shares: Set<UnsentShare>): UnsentShare {
  return shares.values().next().value!
}
