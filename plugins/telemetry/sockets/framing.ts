/** Splits the bytes of a connection into messages: lines, or syslog messages that begin with their length (RFC 6587, 3.4.1). */

/** Longest message; a longer one is left out. */
export const MAX_MESSAGE_BYTES = 65_536

const LF = 0x0a
const ZERO = 0x30
const NINE = 0x39
const SPACE = 0x20
const MAX_LENGTH_DIGITS = 7

export interface FramingEvents {
  message(bytes: Buffer): void
  /** A message was too long. */
  tooLong(): void
}

export class Framing {
  readonly #events: FramingEvents
  readonly #countsOctets: boolean
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes of a message that is left out: their number, or all until the next line feed. */
  #skip: number | 'line' = 0

  /** With `countsOctets`, a message that begins with a digit begins with its length. */
  constructor(events: FramingEvents, { countsOctets }: { countsOctets: boolean }) {
    this.#events = events
    this.#countsOctets = countsOctets
  }

  add(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#rest.length > 0 && this.#step());
    // A view would keep the whole chunk.
    if (this.#rest.length > 0) this.#rest = Buffer.from(this.#rest)
  }

  /** The client has ended: what is left is a message without a line feed. */
  end(): void {
    if (this.#skip === 0 && this.#rest.length > 0 && this.#lengthEnd() === -1) this.#deliver(this.#rest)
    this.#rest = Buffer.alloc(0)
  }

  /** Whether something was taken. */
  #step(): boolean {
    if (this.#skip !== 0) return this.#skipBytes()
    const lengthEnd = this.#lengthEnd()
    return lengthEnd === -1 ? this.#takeLine() : lengthEnd !== null && this.#takeCounted(lengthEnd)
  }

  #skipBytes(): boolean {
    if (this.#skip === 'line') {
      const end = this.#rest.indexOf(LF)
      if (end !== -1) this.#skip = 0
      this.#rest = end === -1 ? Buffer.alloc(0) : this.#rest.subarray(end + 1)
      return true
    }
    const skipped = Math.min(this.#skip, this.#rest.length)
    this.#skip -= skipped
    this.#rest = this.#rest.subarray(skipped)
    return true
  }

  /** Where the length ends; -1 for a line, null while it is not complete. */
  #lengthEnd(): number | null {
    if (!this.#countsOctets) return -1
    for (let at = 0; at < this.#rest.length; at++) {
      const byte = this.#rest[at]!
      if (byte === SPACE) return at === 0 ? -1 : at
      if (byte < ZERO || byte > NINE || at >= MAX_LENGTH_DIGITS) return -1
    }
    return null
  }

  #takeCounted(lengthEnd: number): boolean {
    const length = Number(this.#rest.toString('latin1', 0, lengthEnd))
    const start = lengthEnd + 1
    if (length > MAX_MESSAGE_BYTES) {
      this.#events.tooLong()
      this.#skip = length
      this.#rest = this.#rest.subarray(start)
      return true
    }
    if (this.#rest.length < start + length) return false
    this.#deliver(this.#rest.subarray(start, start + length))
    this.#rest = this.#rest.subarray(start + length)
    return true
  }

  #takeLine(): boolean {
    const end = this.#rest.indexOf(LF)
    if (end > MAX_MESSAGE_BYTES || (end === -1 && this.#rest.length > MAX_MESSAGE_BYTES)) {
      this.#events.tooLong()
      this.#skip = 'line'
      return true
    }
    if (end === -1) return false
    this.#deliver(this.#rest.subarray(0, end))
    this.#rest = this.#rest.subarray(end + 1)
    return true
  }

  #deliver(message: Buffer): void {
    if (message.length > 0) this.#events.message(message)
  }
}
