/** Splits what arrives into lines. */

const LF = 10
const CR = 13

export class Lines {
  readonly #max: number
  #pieces: Buffer[] = []
  #size = 0

  /** `max`: bytes of a line. */
  constructor(max: number) {
    this.#max = max
  }

  /** Calls `onLine` with each line, without LF and one CR before it. Returns false once a line is too long. */
  add(bytes: Buffer, onLine: (line: Buffer) => void): boolean {
    for (let from = 0; ; ) {
      const end = bytes.indexOf(LF, from)
      const piece = bytes.subarray(from, end === -1 ? bytes.length : end)
      if (this.#size + piece.length > this.#max) return false
      if (end === -1) {
        this.#keep(piece)
        return true
      }
      const line = this.#pieces.length === 0 ? piece : Buffer.concat([...this.#pieces, piece])
      this.#pieces = []
      this.#size = 0
      onLine(line.at(-1) === CR ? line.subarray(0, -1) : line)
      from = end + 1
    }
  }

  /** The line that has no LF, once nothing follows; null if there is none. */
  rest(): Buffer | null {
    const line = Buffer.concat(this.#pieces)
    if (line.length === 0) return null
    return line.at(-1) === CR ? line.subarray(0, -1) : line
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#size += piece.length
    // Many small pieces take more memory than what they hold.
    if (this.#pieces.length >= 64) this.#pieces = [Buffer.concat(this.#pieces)]
  }
}
