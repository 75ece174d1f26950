/** Waits for captured requests: of a filter, or of a verification. */
import type { CapturedRequest } from './captured-request.ts'
import { inSlices } from './slices.ts'
import { Subjects } from './subjects.ts'
import type { CaptureSubject } from './subjects.ts'

/** Where stored and new requests come from. */
export interface CaptureFeed {
  /** Stored requests of this session, or of all, oldest first. */
  stored(session: string | undefined): Promise<CapturedRequest[]>
  /** Calls `listener` with every new request. Returns a function that stops. */
  onCapture(listener: (captured: CapturedRequest) => void): () => void
}

/** Looks at requests one by one, oldest first. */
export interface Watcher {
  /** Only requests of this session. */
  readonly session: string | undefined
  see(subject: CaptureSubject): void
  /**
   * In milliseconds from the beginning: 0 if the wait is over. Otherwise when to ask again if no request comes; at most until
   * the end of the wait.
   */
  remainingMs(waitedMs: number): number
}

export interface WaitLimits {
  total: number
  perSession: number
}

/** Requests that are kept while the stored ones are read. */
const MAX_EARLY = 10_000

/** Too many waits are open. */
export class TooManyWaits extends Error {}

export class Waits {
  readonly #feed: CaptureFeed
  readonly #limits: WaitLimits
  readonly #open = new Map<string | undefined, number>()
  #total = 0

  constructor(feed: CaptureFeed, limits: WaitLimits) {
    this.#feed = feed
    this.#limits = limits
  }

  /**
   * Shows the stored requests to the watcher and then new ones, until it needs no more or the signal aborts. Resolves to the
   * time waited in milliseconds. Throws `TooManyWaits`; a wait of at most 0 ms does not count.
   */
  async run(watcher: Watcher, timeoutMs: number, signal: AbortSignal): Promise<number> {
    const startedAt = performance.now()
    const subjects = new Subjects()
    const see = (captured: CapturedRequest): void => {
      // What came while the stored requests were read may be among them.
      if (subjects.has(captured)) return
      if (watcher.session === undefined || captured.session === watcher.session) watcher.see(subjects.add(captured))
    }
    const seeStored = async (): Promise<void> => {
      // All are numbered before the first is seen: a condition may ask what came after a later one.
      const stored = (await this.#feed.stored(watcher.session)).map(captured => subjects.add(captured))
      await inSlices(stored, subject => watcher.see(subject))
    }
    if (timeoutMs <= 0) {
      await seeStored()
      return elapsed(startedAt)
    }
    const leave = this.#enter(watcher.session)
    let wake = (): void => {}
    let early: CapturedRequest[] | null = []
    const stop = this.#feed.onCapture(captured => {
      if (early === null) see(captured)
      else if (early.length < MAX_EARLY) early.push(captured)
      wake()
    })
    try {
      await seeStored()
      const waiting = early
      early = null
      for (const captured of waiting) see(captured)
      for (;;) {
        const waitedMs = performance.now() - startedAt
        const restMs = Math.min(watcher.remainingMs(waitedMs), timeoutMs - waitedMs)
        if (restMs <= 0 || signal.aborted) return elapsed(startedAt)
        await sleepUntil(restMs, signal, awake => {
          wake = awake
        })
      }
    } finally {
      stop()
      leave()
    }
  }

  #enter(session: string | undefined): () => void {
    const ofSession = this.#open.get(session) ?? 0
    if (this.#total >= this.#limits.total || (session !== undefined && ofSession >= this.#limits.perSession))
      throw new TooManyWaits()
    this.#total++
    this.#open.set(session, ofSession + 1)
    return () => {
      this.#total--
      const rest = this.#open.get(session)! - 1
      if (rest === 0) this.#open.delete(session)
      else this.#open.set(session, rest)
    }
  }
}

/** Whole milliseconds. */
function elapsed(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

/** Resolves after some time, when the signal aborts, or when the function passed to `onWake` is called. */
function sleepUntil(ms: number, signal: AbortSignal, onWake: (wake: () => void) => void): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    onWake(done)
  })
}
