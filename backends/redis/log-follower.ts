/**
 * Follows a stream of a shared log. Messages only notify: entries are delivered in the order of their numbers, and a gap is
 * read from the log, so nothing is lost or doubled.
 */
import type { LoggedEvent } from '../../core/contract/plugin.ts'
import type { StoreConnection } from './store-connection.ts'

/** The message of a stream that has ended. */
const END = '0'
const MAX_ANNOUNCED = 100

export interface FollowerOptions<T> {
  connection: StoreConnection
  channel: string
  /** Number of the last entry that is not wanted; null for the last one that exists. */
  after: number | null
  log: {
    after(seq: number): Promise<LoggedEvent<T>[]>
    info(): Promise<{ isThere: boolean; lastSeq: number }>
    /** The entries of a message; none if it has only a number or can't be read. */
    entriesOf(message: string): LoggedEvent<T>[]
    /** Whether the stream belongs to an entry of a store. */
    canEnd: boolean
  }
  on(seq: number, value: T): void
  ended(): void
  onError(error: unknown): void
}

export class Follower<T> {
  readonly #options: FollowerOptions<T>
  readonly #subscription: { ready: Promise<void>; stop(): void }
  /** Number of the last delivered entry; null until it is known. */
  #position: number | null
  #isStopped = false
  /** The running catch-up. Another one follows if a message arrives meanwhile. */
  #catchUp: Promise<void> | null = null
  #isBehind = false
  /** Entries that were announced while others were read: the last ones of a stream that has ended can't be read any more. */
  readonly #announced: LoggedEvent<T>[][] = []
  #hasRead = false

  constructor(options: FollowerOptions<T>) {
    this.#options = options
    this.#position = options.after
    // Sent before anything that the caller appends next.
    const started = options.after === null ? options.log.info() : null
    started?.catch(() => {})
    this.#subscription = options.connection.subscribe(options.channel, {
      message: text => this.#onMessage(text),
      reset: () => this.#start(),
    })
    const { ready } = this.#subscription
    this.#catchUp = (async () => {
      await ready
      try {
        if (started !== null) this.#position = (await started).lastSeq
      } catch {
        // The reset after the reconnect starts it.
      }
    })()
    void this.#catchUp.then(() => {
      this.#catchUp = null
      this.#start()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#subscription.stop()
  }

  /** Delivers what was announced, stops and reports the end. */
  end(): void {
    if (this.#isStopped) return
    this.#deliverAnnounced()
    this.stop()
    this.#guard(() => this.#options.ended())
  }

  #onMessage(text: string): void {
    if (text === END) {
      // Entries that were announced before come first.
      if (this.#catchUp === null) this.end()
      else void this.#catchUp.then(() => this.end())
      return
    }
    const entries = this.#options.log.entriesOf(text)
    const isNext = this.#catchUp === null && this.#position !== null && entries[0]?.seq === this.#position + 1
    if (isNext) return this.#deliverAll(entries)
    if (this.#announced.length < MAX_ANNOUNCED) this.#announced.push(entries)
    this.#start()
  }

  /** Reads what is missing. */
  #start(): void {
    if (this.#isStopped) return
    this.#isBehind = true
    if (this.#catchUp !== null) return
    this.#catchUp = (async () => {
      while (this.#isBehind && !this.#isStopped) {
        this.#isBehind = false
        await this.#readMissing()
      }
      this.#announced.length = 0
    })()
      .catch((error: unknown) => {
        // While the store is unavailable, the reset after the reconnect starts it again.
        if ((error as { code?: unknown }).code !== 'STATE_UNAVAILABLE') this.#options.onError(error)
      })
      .finally(() => {
        this.#catchUp = null
      })
  }

  async #readMissing(): Promise<void> {
    const { log } = this.#options
    const { isThere, lastSeq } = await log.info()
    if (this.#isStopped) return
    if (!isThere && log.canEnd) return this.end()
    this.#position ??= lastSeq
    // The numbers have started again: the stream was removed meanwhile.
    if (this.#hasRead && lastSeq < this.#position) this.#position = 0
    this.#hasRead = true
    while (!this.#isStopped && this.#position < lastSeq) {
      const page = await log.after(this.#position)
      if (page.length === 0) {
        // The stream may have been removed after its number was read.
        this.#deliverAnnounced()
        this.#position = Math.max(this.#position, lastSeq)
        return
      }
      this.#deliverAll(page)
    }
  }

  #deliverAnnounced(): void {
    if (this.#position === null) return
    for (const entries of this.#announced) this.#deliverAll(entries)
  }

  #deliverAll(entries: readonly LoggedEvent<T>[]): void {
    for (const { seq, value } of entries) this.#deliver(seq, value)
  }

  #deliver(seq: number, value: T): void {
    if (this.#isStopped || seq <= this.#position!) return
    this.#position = seq
    this.#guard(() => this.#options.on(seq, value))
  }

  #guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
