/** Sets of counters by session, within bounds: the idle ones go first, the busy ones never. */
import type { Counters } from './counters.ts'

const MAX_SETS = 10_000
const IDLE_MS = 3_600_000
/** Removed at once when nothing is idle for long, so that the next newcomers find room without a search. */
const OLDEST = 1_000

export class SessionCounters {
  /** Least recently used first. */
  readonly #sets = new Map<string, Counters>()

  get size(): number {
    return this.#sets.size
  }

  /** Looks without counting as use and without making a set. */
  peek(key: string): Counters | undefined {
    return this.#sets.get(key)
  }

  /** The set of a session, made by `create` when there is none; `now` on the clock that only grows. */
  use(key: string, now: number, create: () => Counters): Counters {
    let counters = this.#sets.get(key)
    if (counters !== undefined) this.#sets.delete(key)
    else {
      if (this.#sets.size >= MAX_SETS) this.#makeRoom(now)
      counters = create()
    }
    counters.lastUsedAt = now
    this.#sets.set(key, counters)
    return counters
  }

  #makeRoom(now: number): void {
    if (this.#remove(counters => now - counters.lastUsedAt > IDLE_MS, MAX_SETS) === 0) this.#remove(() => true, OLDEST)
  }

  #remove(isMeant: (counters: Counters) => boolean, atMost: number): number {
    let removed = 0
    for (const [key, counters] of this.#sets) {
      if (removed >= atMost) break
      if (counters.isBusy || !isMeant(counters)) continue
      this.#sets.delete(key)
      removed++
    }
    return removed
  }
}
