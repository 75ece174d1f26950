/** Owns the request counters of the flaky endpoints: one for each session and behavior. */
import type { Svc } from 'svc/plugin'

const IDLE_MS = 3_600_000

/** `session` is the session's key. */
export interface Counters {
  /** Counts a request and answers its number, from 1; no two requests get the same. */
  next(session: string, name: string): Promise<number>
  /** Name to count, in the order in which they began. Makes no counter, and none older. */
  of(session: string): Promise<Record<string, number>>
  /** Removes a session's counters; answers how many. */
  reset(session: string): Promise<number>
  /** Removes everybody's; answers how many. */
  resetAll(): Promise<number>
}

/** Bounded: beyond 10000 (2000 on public instances) the one that is idle longest goes, and each after an hour. */
export function createCounters(svc: Svc): Counters {
  const store = svc.state<number>('counters', {
    maxCount: svc.config.publicMode ? 2000 : 10_000,
    ttlMs: IDLE_MS,
    ttlFrom: 'use',
    evict: 'idle',
  })
  // A session's key holds no line feed.
  const keyOf = (session: string, name: string): string => `${session}\n${name}`
  const nameIn = (key: string): string => key.slice(key.indexOf('\n') + 1)
  return {
    next: (session, name) => store.increment(keyOf(session, name), 1, { group: session }),
    of: async session =>
      Object.fromEntries((await store.list({ group: session })).map(({ key, value }) => [nameIn(key), value])),
    reset: session => store.clear((_count, key) => key.startsWith(keyOf(session, ''))),
    resetAll: () => store.clear(),
  }
}
