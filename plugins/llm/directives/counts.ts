/** On how many requests directives with `times` have acted. */
import type { Svc } from 'svc/plugin'
import { digest } from '../engine/seed.ts'

const IDLE_MS = 3_600_000
const BOUNDS = {
  normal: { maxCount: 10_000 },
  public: { maxCount: 1000, maxPerGroup: 20 },
} as const

export interface DirectiveCounts {
  /** Counts a request and returns its number, from 1. `session` is the key of the session. */
  next(session: string, provider: string, text: string): Promise<number>
  /** Removes the counts of a session, or all (null); returns how many. */
  clear(session: string | null): Promise<number>
}

/** A count expires an hour after its last use. All replicas count together. */
export function createDirectiveCounts(svc: Svc<unknown>): DirectiveCounts {
  const store = svc.state<number>('directives', {
    ...BOUNDS[svc.config.publicMode ? 'public' : 'normal'],
    ttlMs: IDLE_MS,
    ttlFrom: 'use',
    evict: 'idle',
  })
  return {
    next: (session, provider, text) => store.within(session).increment(digest(provider, text)),
    clear: session => (session === null ? store.clear() : store.within(session).clear()),
  }
}
