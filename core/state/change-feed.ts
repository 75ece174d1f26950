/** Owns who hears of a store's changes, and that all hear them in one order. */
import type { StoreChange } from '../contract/plugin.ts'

export class ChangeFeed<T> {
  readonly #listeners = new Set<(change: StoreChange<T>) => void>()
  readonly #onError: (error: unknown) => void
  #untold: StoreChange<T>[] = []
  #isTelling = false

  /** `onError` hears what a listener throws. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Answers how to stop listening. */
  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    // Wrapped, so that one function that subscribes twice is called, and leaves, once for each.
    const own = (change: StoreChange<T>): void => listener(change)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Tells all at once. A change made by a listener is told after the one it is hearing of, or the next would hear it first. */
  tell(change: StoreChange<T>): void {
    if (this.#listeners.size === 0) return
    this.#untold.push(change)
    if (this.#isTelling) return
    this.#isTelling = true
    for (let next = 0; next < this.#untold.length; next += 1) this.#tellAll(this.#untold[next]!)
    this.#untold = []
    this.#isTelling = false
  }

  #tellAll(change: StoreChange<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
