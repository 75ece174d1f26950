/** A map with a maximum number of entries; the oldest is evicted first. */
import { estimateBytes } from './estimate.ts'
import type { MeasuresMemory, MemoryUse } from './memory-use.ts'
import { copyText, heldBytes } from './text-memory.ts'

/** Memory of an entry without its key and value. */
const ENTRY_BYTES = 48

export class BoundedMap<T> implements MeasuresMemory {
  readonly #maxEntries: number
  readonly #entries = new Map<string, T>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    if (this.#entries.size >= this.#maxEntries && !this.#entries.has(key))
      this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  memoryUse(): MemoryUse {
    const entries = this.#entries.size
    const bytes = estimateBytes(
      this.#entries,
      entries,
      ([, value]) => value,
      ([key]) => ENTRY_BYTES + heldBytes(key),
    )
    return { entries, bytes }
  }
}

/** Longer texts are computed each time: clients choose them, and caching long ones would use too much memory. */
const MAX_REMEMBERED_CHARACTERS = 256

/**
 * Caches the results of the last `maxEntries` arguments. The function must be pure, and its result must not be much
 * longer than its argument.
 */
export function memoize<Value extends {}>(
  maxEntries: number,
  compute: (text: string) => Value,
): (text: string) => Value {
  const known = new BoundedMap<Value>(maxEntries)
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    const computed = compute(text)
    if (text.length <= MAX_REMEMBERED_CHARACTERS) known.set(copyText(text), computed)
    return computed
  }
}
