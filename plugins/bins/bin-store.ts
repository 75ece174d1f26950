/** Stores the bins of the instance within the limits, and the requests they capture. */
import { randomBytes } from 'node:crypto'
import type { StoreChange, Svc } from 'svc/plugin'
import type { BinResponse } from './bin-response.ts'
import { emptyBin, sizeOfBin, withRequest } from './bin.ts'
import type { Bin } from './bin.ts'
import type { CapturedRequest } from './captured-request.ts'
import { binsFull, binsHoldTooMuch, tooManyBins } from './errors.ts'
import { totalBytesOf } from './limits.ts'
import type { BinLimits } from './limits.ts'

/** `session` is the key of the session. */
export interface BinStore {
  /** Creates a bin. A full store evicts the oldest bin; on a public instance it throws `bins_full` or `too_many_bins`. */
  create(session: string, response: BinResponse): Promise<Bin>
  find(id: string): Promise<Bin | undefined>
  /** Newest first. */
  ofSession(session: string): Promise<Bin[]>
  /** Stores a request and returns the updated bin, or undefined if the bin does not exist. */
  capture(id: string, request: Omit<CapturedRequest, 'seq'>): Promise<Bin | undefined>
  /** Returns whether the bin existed. */
  delete(id: string): Promise<boolean>
  /** Calls `listener` after every change of any bin; returns a function that unsubscribes. */
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

  /** A new bin must fit even when it is full. */
  async function refuseWhenFull(session: string, bin: Bin): Promise<void> {
    const own = await store.list({ group: session, limit: limits.max_bins_per_session })
    if (own.length >= limits.max_bins_per_session) throw tooManyBins(limits.max_bins_per_session)
    if ((await store.count()) >= limits.max_bins) throw binsFull(limits.max_bins)
    if ((await store.bytes()) + sizeOfBin(bin) + limits.max_bytes_per_bin > maxBytes) throw binsHoldTooMuch()
  }

  return {
    create: (session, response) =>
      inTurn(async () => {
        const bin = emptyBin(randomBytes(12).toString('hex'), response, limits)
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

/** Runs tasks one after another, so that no other task runs between the check of a limit and the write. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const own = last.then(work)
    last = own.catch(() => {})
    return own
  }
}
