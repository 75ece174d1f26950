/** Counts what a caller has asked for, so that a fault can begin with a later request. */
import { createHash } from 'node:crypto'
import type { Store } from '../contract/state.ts'

/** A count of one caller. */
export interface FaultCount {
  /** Digest of the caller's session. */
  owner: string
  count: number
}

export class FaultCounter {
  readonly #counts: Store<FaultCount>

  /** The keys of the store are digests. */
  constructor(counts: Store<FaultCount>) {
    this.#counts = counts
  }

  /** Counts a request of a session by what is counted, this one included. */
  async next(session: string, ...what: string[]): Promise<number> {
    const owner = digestOf(session)
    const counted = await this.#counts.update(digestOf(JSON.stringify([owner, ...what])), before => ({
      owner,
      count: (before?.count ?? 0) + 1,
    }))
    return counted?.count ?? 1
  }

  /** Forgets the counts of a session, or all (null). Returns their number. */
  reset(session: string | null): Promise<number> {
    if (session === null) return this.#counts.clear()
    const digest = digestOf(session)
    return this.#counts.clear(({ owner }) => owner === digest)
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
