/** Stores the bins of the instance within the limits, and the requests they capture. */
import { randomBytes } from 'node:crypto'
import type { LoggedEvent, Store, StreamInfo, Svc } from 'svc/plugin'
import type { BinResponse } from './bin-response.ts'
import { emptyBin, sizeOfBin, type Bin } from './bin.ts'
import { ByteBudget } from './byte-budget.ts'
import { storedBytes, type CapturedRequest } from './captured-request.ts'
import { binsFull, binsHoldTooMuch, tooManyBins } from './errors.ts'
import { totalBytesOf, type BinLimits } from './limits.ts'

/** More than the log adds to the size of a request. */
const ENTRY_BYTES = 1024

/** `session` is the key of the session. */
export interface BinStore {
  /** Creates a bin. A full store evicts the oldest bin; on a public instance it throws `bins_full` or `too_many_bins`. */
  create(session: string, response: BinResponse): Promise<Bin>
  find(id: string): Promise<Bin | undefined>
  /** Newest first. */
  ofSession(session: string): Promise<Bin[]>
  /** Stores a request and returns its bin and its number, or undefined if the bin does not exist. */
  capture(id: string, request: CapturedRequest): Promise<{ bin: Bin; seq: number } | undefined>
  /** The number of the last request, and how many are stored. */
  info(id: string): Promise<StreamInfo>
  /** The stored requests, newest first. */
  newest(id: string, limit: number): Promise<LoggedEvent<CapturedRequest>[]>
  /** The request with a number, if it is stored. */
  request(id: string, seq: number): Promise<LoggedEvent<CapturedRequest> | undefined>
  /**
   * Calls `on` for the stored requests after a number and then for new ones, and `ended` when the bin is removed. Returns a
   * function that stops.
   */
  follow(id: string, after: number, on: (event: LoggedEvent<CapturedRequest>) => void, ended: () => void): () => void
  /** Returns whether the bin existed. */
  delete(id: string): Promise<boolean>
  /** Deletes the bins of a session, or all (null). Returns their number. */
  clear(session: string | null): Promise<number>
}

export function createBinStore(svc: Svc, limits: BinLimits): BinStore {
  const maxBytes = totalBytesOf(svc.config)
  const store = svc.state<Bin>('bins', {
    maxCount: limits.max_bins,
    maxBytes,
    sizeOf: sizeOfBin,
    ttlMs: limits.ttl_secs * 1000,
    ...(svc.config.publicMode ? { maxPerGroup: limits.max_bins_per_session, evict: 'none' } : { evict: 'oldest' }),
  })
  const requests = svc.eventLog<CapturedRequest>('requests', {
    of: store as Store<unknown>,
    maxPerStream: limits.max_requests,
    maxBytesPerStream: limits.max_bytes_per_bin,
    maxBytes,
    sizeOf: storedBytes,
  })
  const inTurn = createQueue()
  const budget = new ByteBudget(maxBytes, async () => {
    const [ofBins, ofRequests] = await Promise.all([store.bytes(), requests.bytes()])
    return ofBins + ofRequests
  })

  /** A new bin must fit even when it is full. */
  async function refuseWhenFull(session: string, bin: Bin): Promise<void> {
    const own = await store.list({ group: session, limit: limits.max_bins_per_session })
    if (own.length >= limits.max_bins_per_session) throw tooManyBins(limits.max_bins_per_session)
    if ((await store.count()) >= limits.max_bins) throw binsFull(limits.max_bins)
    const [ofBins, ofRequests] = await Promise.all([store.bytes(), requests.bytes()])
    if (ofBins + ofRequests + sizeOfBin(bin) + limits.max_bytes_per_bin > maxBytes) throw binsHoldTooMuch()
  }

  /** The limit because of which a bin was not added. */
  async function limitOf(session: string): Promise<Error> {
    const own = await store.count({ group: session })
    return own >= limits.max_bins_per_session ? tooManyBins(limits.max_bins_per_session) : binsFull(limits.max_bins)
  }

  /** Bins and their requests share one limit: over it, the oldest bin is removed, but not the one just written. */
  async function evictOldest(written: string): Promise<void> {
    for (;;) {
      const [oldest] = await store.list({ limit: 1, where: (_, id) => id !== written })
      if (oldest === undefined) return
      await store.delete(oldest.key)
      if (!(await budget.exceeds())) return
    }
  }

  return {
    create: (session, response) =>
      inTurn(async () => {
        const bin = emptyBin(randomBytes(12).toString('hex'), response, limits)
        if (svc.config.publicMode) await refuseWhenFull(session, bin)
        const [isAdded, isOver] = await Promise.all([store.add(bin.id, bin, { group: session }), budget.exceeds()])
        // Another replica was faster.
        if (!isAdded && svc.config.publicMode) throw await limitOf(session)
        if (isOver) await evictOldest(bin.id)
        return bin
      }),
    find: id => store.peek(id),
    ofSession: async session => (await store.list({ group: session, newestFirst: true })).map(({ value }) => value),
    capture: async (id, request) => {
      const isCheckDue = budget.take(storedBytes(request) + ENTRY_BYTES)
      // Asked for at once: a shared store answers all of it in one round trip, in this order.
      const [bin, seq, isOver] = await Promise.all([
        store.peek(id),
        requests.append(id, request),
        isCheckDue && budget.exceeds(),
      ])
      if (bin === undefined || seq === undefined) return undefined
      if (isOver) await evictOldest(id)
      return { bin, seq }
    },
    info: id => requests.info(id),
    newest: (id, limit) => requests.newest(id, limit),
    request: async (id, seq) => (await requests.after(id, seq - 1, 1)).find(found => found.seq === seq),
    follow: (id, after, on, ended) => requests.follow(id, after, (seq, value) => on({ seq, value }), ended),
    delete: id => store.delete(id),
    async clear(session) {
      const ids = new Set((await store.list(session === null ? {} : { group: session })).map(({ key }) => key))
      return store.clear((_bin, id) => ids.has(id))
    },
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
