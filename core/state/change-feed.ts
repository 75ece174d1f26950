/** Notifies the subscribers of a store of its changes, all in the same order. */
import type { StoreChange } from '../contract/plugin.ts'

export class ChangeFeed<T> {
  readonly #listeners = new Set<(change: StoreChange<T>) => void>()
  readonly #onError: (error: unknown) => void
  #pending: StoreChange<T>[] = []
  #isNotifying = false

  /** `onError` receives exceptions of listeners. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    // Wrapped, so that a function that subscribes twice is called twice and unsubscribes separately.
    const own = (change: StoreChange<T>): void => listener(change)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /**
   * Notifies all listeners. A change made by a listener is queued until the current one is delivered; otherwise later
   * listeners would receive it first.
   */
  publish(change: StoreChange<T>): void {
    if (this.#listeners.size === 0) return
    this.#pending.push(change)
    if (this.#isNotifying) return
    this.#isNotifying = true
    for (let next = 0; next < this.#pending.length; next += 1) this.#notify(this.#pending[next]!)
    this.#pending = []
    this.#isNotifying = false
  }

  #notify(change: StoreChange<T>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
