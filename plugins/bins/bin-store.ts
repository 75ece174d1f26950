/** Owns the bins of the instance: their making, their bounds, what they capture, their end. */
import { randomBytes } from 'node:crypto'
import type { StoreChange, Svc } from 'svc/plugin'
import type { BinAnswer } from './bin-answer.ts'
import { emptyBin, sizeOfBin, withRequest } from './bin.ts'
import type { Bin } from './bin.ts'
import type { CapturedRequest } from './captured-request.ts'
import { binsFull, binsHoldTooMuch, tooManyBins } from './errors.ts'
import { totalBytesOf } from './limits.ts'
import type { BinLimits } from './limits.ts'

/** `session` is the session's key. */
export interface BinStore {
  /** Makes a bin. When the store is full the oldest goes; on a public instance it throws `bins_full` or `too_many_bins`. */
  create(session: string, answer: BinAnswer): Promise<Bin>
  find(id: string): Promise<Bin | undefined>
  /** Newest first. */
  ofSession(session: string): Promise<Bin[]>
  /** Stores a request and answers the bin with it, its newest; undefined when there is no such bin. */
  capture(id: string, request: Omit<CapturedRequest, 'seq'>): Promise<Bin | undefined>
  /** Answers whether there was one. */
  delete(id: string): Promise<boolean>
  /** Calls back after every change of any bin; answers how to stop that. */
  subscribe(listener: (change: StoreChange<Bin>) => void): () => void
}

export function createBinStore(svc: Svc, limits: BinLimits): BinStore {
  const maxBytes = totalBytesOf(svc.config)
  const store = svc.state<Bin>('bins', {
    maxCount: limits.max_bins,
    maxBytes,
    sizeOf: sizeOfBin,
    ttlMs: limits.ttl_secs * 1000,
    evict: 'oldest',
    watched: true,
  })
  const inTurn = createQueue()

  /** A new bin must have room when it is full, too. */
  async function refuseWhenFull(session: string, bin: Bin): Promise<void> {
    const own = await store.list({ group: session, limit: limits.max_bins_per_session })
    if (own.length >= limits.max_bins_per_session) throw tooManyBins(limits.max_bins_per_session)
    if ((await store.count()) >= limits.max_bins) throw binsFull(limits.max_bins)
    if ((await store.bytes()) + sizeOfBin(bin) + limits.max_bytes_per_bin > maxBytes) throw binsHoldTooMuch()
  }

  return {
    create: (session, answer) =>
      inTurn(async () => {
        const bin = emptyBin(randomBytes(12).toString('hex'), answer, limits)
        if (svc.config.publicMode) await refuseWhenFull(session, bin)
        await store.set(bin.id, bin, { group: session })
        return bin
      }),
    find: id => store.peek(id),
    ofSession: async session => (await store.list({ group: session, newestFirst: true })).map(({ value }) => value),
    capture: (id, request) =>
      store.update(id, bin => (bin === undefined ? undefined : withRequest(bin, request, limits))),
    delete: id => store.delete(id),
    subscribe: listener => store.subscribe(listener),
  }
}

/** Runs pieces of work one after another: between a look at a bound and the write that it allows nobody comes. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const own = last.then(work)
    last = own.catch(() => {})
    return own
  }
}
