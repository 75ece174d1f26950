/** A body that is kept until it is complete, for conditions of rules and for what needs all of it. */
import type { MemoryPool } from 'svc/plugin'

/** Of one side of a stream. */
const MAX_BYTES = 1024 * 1024
/** Of all streams. */
export const MAX_TOTAL_BYTES = 32 * 1024 * 1024

export class KeptBody {
  readonly #pool: MemoryPool
  #pieces: Buffer[] = []
  #bytes = 0
  #isCut = false

  constructor(pool: MemoryPool) {
    this.#pool = pool
  }

  /** Whether it has become too large; what follows is not kept. */
  get isCut(): boolean {
    return this.#isCut
  }

  add(piece: Buffer): void {
    if (this.#isCut || piece.length === 0) return
    if (this.#bytes + piece.length > MAX_BYTES || !this.#pool.take(piece.length)) {
      this.#isCut = true
      return
    }
    this.#pieces.push(piece)
    this.#bytes += piece.length
  }

  bytes(): Buffer {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)]
    return this.#pieces[0] ?? Buffer.alloc(0)
  }

  release(): void {
    this.#pool.give(this.#bytes)
    this.#pieces = []
    this.#bytes = 0
  }
}
