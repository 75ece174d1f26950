/** Values of a store with `immutable: true` that this replica has read or written. */

const MAX_ENTRIES = 256
const MAX_CHARACTERS = 1024 * 1024
/** After this time a value is read again, so that its use is noted, and that it ends with its entry. */
const FRESH_MS = 60_000

export class ImmutableCache {
  /** Least recently read first. */
  readonly #texts = new Map<string, { text: string; readAt: number }>()
  #characters = 0

  /** The encoded value of an entry. */
  get(entry: string): string | undefined {
    const cached = this.#texts.get(entry)
    if (cached === undefined) return undefined
    this.#texts.delete(entry)
    if (performance.now() - cached.readAt > FRESH_MS) {
      this.#characters -= cached.text.length
      return undefined
    }
    this.#texts.set(entry, cached)
    return cached.text
  }

  set(entry: string, text: string): void {
    this.delete(entry)
    if (text.length > MAX_CHARACTERS) return
    this.#texts.set(entry, { text, readAt: performance.now() })
    this.#characters += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_ENTRIES && this.#characters <= MAX_CHARACTERS) return
      this.delete(oldest)
    }
  }

  delete(entry: string): void {
    this.#characters -= this.#texts.get(entry)?.text.length ?? 0
    this.#texts.delete(entry)
  }

  clear(): void {
    this.#texts.clear()
    this.#characters = 0
  }
}
