/** `svc.replicated` without a shared store: a value of the only replica. */
import type { Replicated, ReplicatedOptions } from '../contract/plugin.ts'
import { frozenJson } from './json-values.ts'

/** Maximum size of the JSON text of a value in bytes, as in a shared store. */
const MAX_BYTES = 256 * 1024

export class Register<T> implements Replicated<T> {
  /** Resolves once the value is set; rejects with the error of `initial`. */
  readonly ready: Promise<void>
  readonly #what: string
  readonly #isStrict: boolean
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<{ call: (value: T) => void }>()
  #held: { value: T } | null = null
  #updates: Promise<unknown>

  /**
   * `what` is the beginning of messages, such as `register "keys" of plugin tally`. A strict register checks and freezes its
   * values, and runs `change` functions twice.
   */
  constructor(
    { initial }: ReplicatedOptions<T>,
    { what, isStrict, onError }: { what: string; isStrict: boolean; onError: (error: unknown) => void },
  ) {
    this.#what = what
    this.#isStrict = isStrict
    this.#onError = onError
    this.ready = (async () => {
      this.#held = { value: this.#checked(await initial()) }
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
      if (this.#isStrict) change(this.current)
      const value = this.#checked(change(this.current))
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

  #checked(value: T): T {
    if (!this.#isStrict) return value
    const checked = frozenJson(value, this.#what)
    assertRegisterSize(checked, this.#what)
    return checked
  }

  #notify(listener: (value: T) => void, value: T): void {
    try {
      listener(value)
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** Throws a TypeError for a value that is too large for a register. */
export function assertRegisterSize(value: unknown, what: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > MAX_BYTES)
    throw new TypeError(`${what}: value has ${bytes} bytes of JSON; at most ${MAX_BYTES} are allowed`)
}
