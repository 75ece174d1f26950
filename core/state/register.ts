/** `svc.replicated` without a shared store: a value of the only replica. */
import type { Replicated, ReplicatedOptions } from '../contract/plugin.ts'

export class Register<T> implements Replicated<T> {
  /** Resolves once the value is set; rejects with the error of `initial`. */
  readonly ready: Promise<void>
  readonly #what: string
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<{ call: (value: T) => void }>()
  #held: { value: T } | null = null
  #updates: Promise<unknown>

  /** `what` is the beginning of messages, such as `register "keys" of plugin tally`. */
  constructor({ initial }: ReplicatedOptions<T>, what: string, onError: (error: unknown) => void) {
    this.#what = what
    this.#onError = onError
    this.ready = (async () => {
      this.#held = { value: await initial() }
    })()
    // `ready` reports the error; an unhandled rejection would end the process.
    this.#updates = this.ready.catch(() => {})
  }

  get current(): T {
    if (this.#held === null) throw new Error(`${this.#what} is read before svc.whenRegistered`)
    return this.#held.value
  }

  async update(change: (value: T) => T): Promise<T> {
    const updated = this.#updates.then(() => {
      const value = change(this.current)
      this.#held = { value }
      for (const listener of this.#listeners) this.#notify(listener.call, value)
      return value
    })
    this.#updates = updated.catch(() => {})
    return updated
  }

  subscribe(listener: (value: T) => void): () => void {
    const own = { call: listener }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  #notify(listener: (value: T) => void, value: T): void {
    try {
      listener(value)
    } catch (error) {
      this.#onError(error)
    }
  }
}
