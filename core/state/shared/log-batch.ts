/** Entries of a batched log that wait to be sent: many leave at once, and no request waits for them. */

const SEND_AFTER_MS = 50
const MAX_SENT = 256
/** More than this is not kept while the store is slow or unavailable; the oldest entries are dropped. */
const MAX_WAITING = 4096
const MAX_WAITING_BYTES = 16 * 1024 * 1024

export interface BatchedEntry {
  stream: string
  text: string
  bytes: number
  /** Memory of the stream itself. */
  streamBytes: number
}

export interface LogBatchObserver {
  waiting(count: number): void
  dropped(count: number): void
}

export interface LogBatchOptions {
  send(entries: readonly BatchedEntry[]): Promise<unknown>
  canSend(): boolean
  observer?: LogBatchObserver | undefined
  onError(error: unknown): void
}

export class LogBatch {
  readonly #options: LogBatchOptions
  #waiting: BatchedEntry[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | null = null
  #isClosed = false
  #sending: Promise<void> = Promise.resolve()

  constructor(options: LogBatchOptions) {
    this.#options = options
  }

  /** Entries that come after `close` are not kept. */
  add(entry: BatchedEntry): void {
    if (this.#isClosed) return
    this.#waiting.push(entry)
    this.#bytes += entry.text.length
    this.#dropExcess()
    this.#options.observer?.waiting(this.#waiting.length)
    if (this.#waiting.length === MAX_SENT) void this.flush()
    else this.#schedule()
  }

  /** Sends all entries. Resolves when they were sent, or can't be; those are sent later. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#sending = this.#sending.then(() => this.#send())
    return this.#sending
  }

  async close(): Promise<void> {
    await this.flush()
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#waiting = []
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0 && this.#options.canSend()) {
      const entries = this.#waiting.splice(0, MAX_SENT)
      this.#bytes -= lengthOf(entries)
      try {
        await this.#options.send(entries)
      } catch (error) {
        // A full store keeps nothing; an unavailable one gets the entries later.
        if (isFull(error)) this.#options.observer?.dropped(entries.length)
        else if (isUnavailable(error)) {
          this.#waiting.unshift(...entries)
          this.#bytes += lengthOf(entries)
        } else this.#options.onError(error)
        if (!isFull(error)) break
      }
    }
    this.#dropExcess()
    this.#options.observer?.waiting(this.#waiting.length)
    if (this.#waiting.length > 0) this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.flush(), SEND_AFTER_MS)
  }

  #dropExcess(): void {
    let dropped = 0
    while (this.#waiting.length - dropped > MAX_WAITING || this.#bytes > MAX_WAITING_BYTES) {
      this.#bytes -= this.#waiting[dropped]!.text.length
      dropped += 1
    }
    if (dropped === 0) return
    this.#waiting.splice(0, dropped)
    this.#options.observer?.dropped(dropped)
  }
}

function lengthOf(entries: readonly BatchedEntry[]): number {
  return entries.reduce((length, { text }) => length + text.length, 0)
}

function isUnavailable(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'STATE_UNAVAILABLE'
}

function isFull(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'STATE_FULL'
}
