/** What is remembered to save work: so many entries, the oldest of which goes first. */
import { copyText } from './text-memory.ts'

export class BoundedMap<T> {
  readonly #most: number
  readonly #entries = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    if (this.#entries.size >= this.#most && !this.#entries.has(key))
      this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}

/** What is longer is computed each time: clients choose these texts, and a megabyte of each would be kept. */
const MAX_REMEMBERED_CHARACTERS = 256

/**
 * The function with the answers to its last `most` arguments at hand. It must answer the same to the same text, and
 * nothing that is much longer than the text.
 */
export function memoize(most: number, compute: (text: string) => string): (text: string) => string {
  const known = new BoundedMap<string>(most)
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    if (text.length <= MAX_REMEMBERED_CHARACTERS) known.set(copyText(text), computed)
    return computed
  }
}
