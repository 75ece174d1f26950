/** Sends on a connection: late, in pieces, and no faster than the client reads. */
import type { Socket } from 'node:net'
import type { SharedMemory } from 'svc/plugin'
import type { Drip } from './options.ts'

/** Bytes that are made when they are sent. Returns null when there are no more. */
export type Source = () => Buffer | null

export interface WriterOptions {
  socket: Socket
  /** Bytes of this connection that may wait, and of all. */
  maxPending: number
  shared: SharedMemory
  delayMs: number
  drip: Drip | null
  onSent(bytes: number): void
  /** Whether the client should send no more for now. */
  onPressure(isHigh: boolean): void
}

const PIECE = 16_384
/** When to try again while other connections use up the memory of all. */
const RETRY_MS = 50

export class Writer {
  readonly #options: WriterOptions
  #queue: (Buffer | Source)[] = []
  /** Bytes in the queue, and of what the socket has not sent. */
  #queued = 0
  #taken = 0
  #drip: Drip | null
  #delayMs: number
  #hasSent = false
  #timer: NodeJS.Timeout | null = null
  #isEnding = false
  #isStopped = false
  #isHigh = false
  #isWriting = false
  #retry: NodeJS.Timeout | null = null

  constructor(options: WriterOptions) {
    this.#options = options
    this.#drip = options.drip
    this.#delayMs = options.delayMs
    options.socket.on('drain', () => this.#pump())
    options.socket.once('close', () => this.stop())
  }

  /** Whether so much is pending that nothing more should be made. */
  get isHigh(): boolean {
    return this.#isHigh
  }

  /** Replaces how what follows is sent. */
  steer({ delayMs, drip }: { delayMs?: number | undefined; drip?: Drip | undefined }): void {
    if (delayMs !== undefined) {
      this.#delayMs = delayMs
      this.#hasSent = false
    }
    if (drip !== undefined) this.#drip = drip
  }

  send(bytes: Buffer): void {
    if (bytes.length === 0 || this.#isEnding || this.#isStopped) return
    this.#queue.push(bytes)
    this.#queued += bytes.length
    this.#account()
    this.#pump()
  }

  sendFrom(source: Source): void {
    if (this.#isEnding || this.#isStopped) return
    this.#queue.push(source)
    this.#pump()
  }

  /** FIN after what is pending. */
  end(): void {
    this.#isEnding = true
    this.#pump()
  }

  /** Nothing is sent any more. */
  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#queue = []
    this.#queued = 0
    this.#account()
  }

  #wait(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#hasSent = true
      this.#pump()
    }, ms)
  }

  #pump(): void {
    if (this.#isWriting) return
    this.#isWriting = true
    this.#write()
    this.#isWriting = false
    this.#account()
  }

  #write(): void {
    const { socket } = this.#options
    while (!this.#isStopped && this.#timer === null && this.#queue.length > 0 && !socket.writableNeedDrain) {
      if (!this.#hasSent && this.#delayMs > 0) return this.#wait(this.#delayMs)
      this.#hasSent = true
      const bytes = this.#next(this.#drip === null ? PIECE : this.#drip.bytes)
      if (bytes === null) continue
      socket.write(bytes)
      this.#options.onSent(bytes.length)
      if (this.#drip !== null && this.#queue.length > 0) return this.#wait(this.#drip.interval_ms)
    }
    if (this.#isEnding && this.#queue.length === 0 && this.#timer === null && !this.#isStopped && !socket.writableEnded)
      socket.end()
  }

  /** At most `max` bytes of the front of the queue; null if it was used up. */
  #next(max: number): Buffer | null {
    const [front] = this.#queue
    if (typeof front === 'function') {
      const made = front()
      this.#queue.shift()
      if (made === null) return null
      this.#queue.unshift(made, front)
      this.#queued += made.length
      return this.#next(max)
    }
    const bytes = front!.subarray(0, max)
    if (bytes.length === front!.length) this.#queue.shift()
    else this.#queue[0] = front!.subarray(max)
    this.#queued -= bytes.length
    return bytes
  }

  /** Counts what is pending, and tells whether it is too much. */
  #account(): void {
    const { socket, shared, maxPending, onPressure } = this.#options
    const pending = this.#isStopped ? 0 : this.#queued + socket.writableLength
    const isFull = pending > this.#taken && !shared.take(pending - this.#taken)
    if (!isFull) {
      if (pending < this.#taken) shared.give(this.#taken - pending)
      this.#taken = pending
    }
    const isHigh = pending > maxPending || isFull
    if (isFull && this.#retry === null) {
      this.#retry = setTimeout(() => {
        this.#retry = null
        this.#account()
      }, RETRY_MS)
      this.#retry.unref()
    }
    if (isHigh === this.#isHigh) return
    this.#isHigh = isHigh
    onPressure(isHigh)
  }
}

const LETTERS = Buffer.from('abcdefghijklmnopqrstuvwxyz')
/** Letters in turn, longer than a piece. */
const ALPHABET = Buffer.concat(Array.from({ length: Math.ceil(PIECE / 26) + 1 }, () => LETTERS))

/** A source of `total` bytes: byte i is letter i mod 26. */
export function letters(total: number): Source {
  let sent = 0
  return () => {
    if (sent >= total) return null
    const from = sent % 26
    const bytes = ALPHABET.subarray(from, from + Math.min(PIECE, total - sent))
    sent += bytes.length
    return bytes
  }
}
