/** Request counters of the flaky endpoints: one per session and behavior. */
import type { Svc } from 'svc/plugin'

const IDLE_MS = 3_600_000

/** `session` is the key of the session. */
export interface Counters {
  /** Counts a request and returns its unique number, from 1. */
  next(session: string, name: string): Promise<number>
  /** Counts by name, in order of creation. Neither creates counters nor extends their lifetime. */
  of(session: string): Promise<Record<string, number>>
  /** Removes the counters of a session; returns how many. */
  reset(session: string): Promise<number>
  /** Removes the counters of all sessions; returns how many. */
  resetAll(): Promise<number>
}

/** Keeps at most 10000 counters (2000 on public instances) and evicts the longest idle; each expires after an idle hour. */
export function createCounters(svc: Svc): Counters {
  const store = svc.state<number>('counters', {
    maxCount: svc.config.publicMode ? 2000 : 10_000,
    ttlMs: IDLE_MS,
    ttlFrom: 'use',
    evict: 'idle',
  })
  // The key of a session never contains a line feed.
  return {
    next: (session, name) => store.within(session).increment(name),
    of: async session => Object.fromEntries((await store.within(session).list()).map(({ key, value }) => [key, value])),
    reset: session => store.within(session).clear(),
    resetAll: () => store.clear(),
  }
}
