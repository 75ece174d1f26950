/** What is remembered to save work: so many entries, the oldest of which goes first. */

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

/** The function with the answers to its last `most` arguments at hand. It must answer the same to the same text. */
export function memoize(most: number, compute: (text: string) => string): (text: string) => string {
  const known = new BoundedMap<string>(most)
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    known.set(text, computed)
    return computed
  }
}
