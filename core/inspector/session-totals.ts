/** How many requests were captured since they were last cleared, by session. */
import type { MemoryUse } from '../collections/memory-use.ts'
import { BoundedMap } from '../collections/bounded-map.ts'

/** Sessions that are counted; the oldest is forgotten first. */
const MAX_SESSIONS = 1000

export class SessionTotals {
  #bySession = new BoundedMap<number>(MAX_SESSIONS)
  #all = 0

  add(session: string | null): void {
    this.#all++
    if (session !== null) this.#bySession.set(session, (this.#bySession.get(session) ?? 0) + 1)
  }

  memoryUse(): MemoryUse {
    return this.#bySession.memoryUse()
  }

  /** 0 for a session that was forgotten. */
  of(session: string | undefined): number {
    return session === undefined ? this.#all : (this.#bySession.get(session) ?? 0)
  }

  /** Restarts the count of a session, of which `removed` requests were stored, or of all. */
  clear(session: string | undefined, removed: number): void {
    if (session === undefined) {
      this.#bySession = new BoundedMap(MAX_SESSIONS)
      this.#all = 0
    } else {
      this.#bySession.delete(session)
      this.#all -= removed
    }
  }
}
