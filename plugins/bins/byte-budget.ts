/**
 * Bins and their requests share a limit in bytes. Asking for the bytes of both costs two operations of a shared store, so they
 * are asked for only if the captures of this process may have exceeded the limit, and once a second because of other replicas.
 */
const CHECK_MS = 1000

export class ByteBudget {
  readonly #maxBytes: number
  readonly #read: () => Promise<number>
  #left = 0
  /** Bytes of all captures until now. */
  #taken = 0
  #checkedAt = -Infinity

  /** `read` returns the bytes of all bins and requests. */
  constructor(maxBytes: number, read: () => Promise<number>) {
    this.#maxBytes = maxBytes
    this.#read = read
  }

  /** Counts a capture. Returns whether `exceeds` has to be asked. */
  take(bytes: number): boolean {
    this.#taken += bytes
    this.#left -= bytes
    const now = performance.now()
    if (this.#left >= 0 && now - this.#checkedAt < CHECK_MS) return false
    this.#checkedAt = now
    return true
  }

  /** Whether the limit is exceeded. */
  async exceeds(): Promise<boolean> {
    const before = this.#taken
    const bytes = await this.#read()
    this.#left = this.#maxBytes - bytes - (this.#taken - before)
    return bytes > this.#maxBytes
  }
}
