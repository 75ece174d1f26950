/** Numbers of requests by mock and operation. They reach the store some milliseconds later, many at once. */
import type { Store, StoreBounds } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'

/** Requests by mock and operation that are not counted in the store yet. */
export type PendingCounts = Map<string, Map<string, number>>

const FLUSH_MS = 50
const MAX_BYTES = 16 << 20

/** The bounds of the store; within the mocks, keys are operations. */
export function countBounds(bounds: Bounds): StoreBounds<number> {
  return {
    maxCount: bounds.mocks * (bounds.operations + 1),
    maxPerGroup: bounds.operations + 1,
    maxBytes: MAX_BYTES,
    evict: 'idle',
  }
}

export class RequestCounts {
  readonly #store: Store<number>
  readonly #pending: PendingCounts
  readonly #flushAll: () => Promise<unknown>
  #timer: NodeJS.Timeout | undefined

  /** `flushAll` makes all replicas flush what they have counted. */
  constructor(store: Store<number>, pending: PendingCounts, flushAll: () => Promise<unknown>) {
    this.#store = store
    this.#pending = pending
    this.#flushAll = flushAll
  }

  /** Counts a request. The empty operation counts requests that matched no operation. */
  add(mock: string, operation: string): void {
    this.#hold(mock, operation, 1)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Moves what this process has counted to the store, and keeps what the store does not take. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const pending = [...this.#pending]
    this.#pending.clear()
    await Promise.all(
      pending.flatMap(([mock, counts]) =>
        [...counts].map(async ([operation, count]) => {
          try {
            await this.#store.within(mock).increment(operation, count)
          } catch {
            this.#hold(mock, operation, count)
          }
        }),
      ),
    )
  }

  /** Makes the counts of all replicas exact. */
  async collect(): Promise<void> {
    await this.#flushAll()
  }

  /** By operation. */
  async ofMock(mock: string): Promise<Map<string, number>> {
    const entries = await this.#store.within(mock).list()
    return new Map(entries.map(({ key, value }) => [key, value]))
  }

  /** Of all operations. */
  async total(mock: string): Promise<number> {
    return (await this.#store.within(mock).list()).reduce((sum, { value }) => sum + value, 0)
  }

  /** Deletes the counts of a mock. */
  async clear(mock: string): Promise<void> {
    this.#pending.delete(mock)
    await this.#store.within(mock).clear()
  }

  #hold(mock: string, operation: string, count: number): void {
    let ofMock = this.#pending.get(mock)
    if (ofMock === undefined) this.#pending.set(mock, (ofMock = new Map()))
    ofMock.set(operation, (ofMock.get(operation) ?? 0) + count)
  }
}
