/** Counters per session, within bounds: idle ones are evicted first, busy ones never. */
import type { MemoryUse } from '../collections/memory-use.ts'
import { estimateBytes } from '../collections/estimate.ts'
import type { Counters } from './counters.ts'

const MAX_SETS = 10_000
/** Memory of the counters of a session, without its key. */
const SET_BYTES = 512
const IDLE_MS = 3_600_000
/** Number of sets evicted at once if no session is idle for long, so that the next sessions need no search. */
const EVICTION_BATCH = 1_000

export class SessionCounters {
  /** Least recently used first. */
  readonly #sets = new Map<string, Counters>()

  get size(): number {
    return this.#sets.size
  }

  memoryUse(): MemoryUse {
    const entries = this.#sets.size
    return {
      entries,
      bytes: estimateBytes(
        this.#sets.keys(),
        entries,
        key => key,
        () => SET_BYTES,
      ),
    }
  }

  /** Looks up counters without marking them as used and without creating them. */
  peek(key: string): Counters | undefined {
    return this.#sets.get(key)
  }

  /** The counters of a session, created by `create` if missing; `now` is on the monotonic clock. */
  use(key: string, now: number, create: () => Counters): Counters {
    let counters = this.#sets.get(key)
    if (counters !== undefined) this.#sets.delete(key)
    else {
      if (this.#sets.size >= MAX_SETS) this.#evict(now)
      counters = create()
    }
    counters.lastUsedAt = now
    this.#sets.set(key, counters)
    return counters
  }

  #evict(now: number): void {
    if (this.#remove(counters => now - counters.lastUsedAt > IDLE_MS, MAX_SETS) === 0)
      this.#remove(() => true, EVICTION_BATCH)
  }

  #remove(matches: (counters: Counters) => boolean, atMost: number): number {
    let removed = 0
    for (const [key, counters] of this.#sets) {
      if (removed >= atMost) break
      if (counters.isBusy || !matches(counters)) continue
      this.#sets.delete(key)
      removed++
    }
    return removed
  }
}
