/** Writes the standard error of a process to the log of svc: short lines, and only as many as the log should have. */
import { LineReader } from './line-reader.ts'

const MAX_LINE_BYTES = 4096
const LINES_PER_SECOND = 100

export class ErrorOutput {
  readonly #log: (line: string) => void
  readonly #now: () => number
  readonly #reader = new LineReader(
    MAX_LINE_BYTES,
    line => this.#line(line),
    start => this.#line(start),
  )
  #second = 0
  #count = 0

  /** `now` returns milliseconds. */
  constructor(log: (line: string) => void, now = (): number => performance.now()) {
    this.#log = log
    this.#now = now
  }

  write(chunk: Buffer): void {
    this.#reader.write(chunk)
  }

  /** Reports how many lines were left out. */
  end(): void {
    if (this.#count > LINES_PER_SECOND) this.#log(`${this.#count - LINES_PER_SECOND} more lines were left out`)
    this.#count = 0
  }

  #line(line: string): void {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) this.end()
    this.#second = second
    if (++this.#count <= LINES_PER_SECOND) this.#log(line)
  }
}
