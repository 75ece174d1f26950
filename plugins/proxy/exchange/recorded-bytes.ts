/** The bytes of a body that is being recorded, and when they arrived. Its memory does not depend on how they were cut. */
import type { OutputBudget } from 'svc/plugin'

const BLOCK_BYTES = 65_536
/** More chunks than this are joined with the last one. */
const MAX_CHUNKS = 10_000
/** Pieces that arrive this close together, in milliseconds, are one chunk. */
const SAME_MS = 1

/** Bytes that arrived together. */
export interface Chunk {
  /** On the clock of `performance.now`. */
  at: number
  bytes: Buffer
}

export class RecordedBytes {
  readonly #budget: OutputBudget
  #blocks: Buffer[] = []
  #length = 0
  /** When each chunk began and last grew, and where it ends. */
  #chunks: { at: number; last: number; end: number }[] = []

  /** `budget` pays for the blocks. */
  constructor(budget: OutputBudget) {
    this.#budget = budget
  }

  /** Throws `OutputTooLarge` or `OutputUnavailable`. */
  add(bytes: Buffer): void {
    this.#budget.take(bytes.length)
    for (let start = 0; start < bytes.length; ) {
      const at = this.#length % BLOCK_BYTES
      if (at === 0) this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES))
      const copied = bytes.copy(this.#blocks.at(-1)!, at, start)
      start += copied
      this.#length += copied
    }
    const now = performance.now()
    const last = this.#chunks.at(-1)
    if (last !== undefined && (now - last.last < SAME_MS || this.#chunks.length >= MAX_CHUNKS)) {
      last.last = now
      last.end = this.#length
    } else this.#chunks.push({ at: now, last: now, end: this.#length })
  }

  /** The bytes in chunks, and all of them; then they are no longer kept. */
  take(): { all: Buffer; chunks: Chunk[] } {
    const all = Buffer.concat(this.#blocks, this.#length)
    let start = 0
    const chunks = this.#chunks.map(({ at, end }) => {
      const bytes = all.subarray(start, end)
      start = end
      return { at, bytes }
    })
    this.drop()
    return { all, chunks }
  }

  drop(): void {
    this.#blocks = []
    this.#chunks = []
    this.#length = 0
  }
}
