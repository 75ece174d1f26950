/** Recognizes a store that came back empty: its epoch is gone, and the replica that sees that first writes a new one. */
import { randomUUID } from 'node:crypto'
import type { Store, StoreBounds } from 'svc/plugin'

const KEY = 'epoch'

export const EPOCH_BOUNDS: StoreBounds<string> = { maxCount: 1 }

export class StoreEpoch {
  readonly #store: Store<string>
  readonly #known: { epoch: string | null }

  /** `known` survives reloads. */
  constructor(store: Store<string>, known: { epoch: string | null }) {
    this.#store = store
    this.#known = known
  }

  /** Whether the store has lost what it had when this process looked last. */
  async hasChanged(): Promise<boolean> {
    const epoch = await this.#current()
    const before = this.#known.epoch
    this.#known.epoch = epoch
    return before !== null && before !== epoch
  }

  async #current(): Promise<string> {
    const epoch = randomUUID()
    if (await this.#store.add(KEY, epoch)) return epoch
    return (await this.#store.peek(KEY)) ?? epoch
  }
}
