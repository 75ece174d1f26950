/** Splits the bytes of a stream into lines of limited length. */

export class LineReader {
  readonly #maxBytes: number
  readonly #on: (line: string) => void
  readonly #tooLong: (start: string) => void
  #pieces: Buffer[] = []
  #bytes = 0
  #isSkipping = false

  /** Calls `on` with each line, without its end. A longer line is skipped; `tooLong` gets its first `maxBytes` bytes. */
  constructor(maxBytes: number, on: (line: string) => void, tooLong: (start: string) => void) {
    this.#maxBytes = maxBytes
    this.#on = on
    this.#tooLong = tooLong
  }

  write(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      this.#add(chunk.subarray(start, end))
      if (!this.#isSkipping) this.#on(this.#take().replace(/\r$/, ''))
      this.#isSkipping = false
      start = end + 1
    }
    this.#add(chunk.subarray(start))
  }

  #add(piece: Buffer): void {
    if (this.#isSkipping || piece.length === 0) return
    const free = this.#maxBytes - this.#bytes
    this.#pieces.push(piece.subarray(0, free))
    this.#bytes += Math.min(piece.length, free)
    if (piece.length <= free) return
    this.#isSkipping = true
    this.#tooLong(this.#take())
  }

  #take(): string {
    const text = Buffer.concat(this.#pieces).toString('utf8')
    this.#pieces = []
    this.#bytes = 0
    return text
  }
}
