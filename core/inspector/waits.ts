/** Waits for captured requests: of a filter, or of a verification. */
import { sleep } from '../toolkit/sleep.ts'
import type { CapturedRequest } from './captured-request.ts'
import type { Evaluations } from './evaluations.ts'
import { Subjects, type CaptureSubject } from './subjects.ts'

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
  /** Must not keep the subject. Throws `TooExpensive` if its conditions take too many steps. */
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

/** Requests that are kept until the watcher sees them. */
const MAX_PENDING = 10_000

/** Too many waits are open. */
export class TooManyWaits extends Error {}

export class Waits {
  readonly #feed: CaptureFeed
  readonly #limits: WaitLimits
  readonly #evaluations: Evaluations
  readonly #open = new Map<string | undefined, number>()
  #total = 0

  constructor(feed: CaptureFeed, limits: WaitLimits, evaluations: Evaluations) {
    this.#feed = feed
    this.#evaluations = evaluations
    this.#limits = limits
  }

  /**
   * Shows the stored requests to the watcher and then new ones, until it needs no more or the signal aborts. Resolves to the
   * time waited in milliseconds. Throws `TooManyWaits`, and `TooExpensive` if the conditions take too many steps; a wait of
   * at most 0 ms does not count.
   */
  async run(watcher: Watcher, timeoutMs: number, signal: AbortSignal): Promise<number> {
    const startedAt = performance.now()
    const subjects = new Subjects()
    const run = this.#evaluations.run()
    const see = (captured: readonly CapturedRequest[]): Promise<void> => {
      // All are numbered before the first is seen: a condition may ask what came after a later one.
      for (const one of captured) subjects.add(one)
      return run.each(captured, (one, steps) => watcher.see(subjects.subject(one, steps)), signal)
    }
    const seeStored = async (): Promise<void> => see(await this.#feed.stored(watcher.session))
    if (timeoutMs <= 0) {
      await seeStored()
      return elapsed(startedAt)
    }
    const leave = this.#enter(watcher.session)
    let wake = (): void => {}
    let pending: CapturedRequest[] = []
    const stop = this.#feed.onCapture(captured => {
      if (watcher.session !== undefined && captured.session !== watcher.session) return
      if (pending.length >= MAX_PENDING) return
      pending.push(captured)
      wake()
    })
    try {
      await seeStored()
      for (;;) {
        while (pending.length > 0) {
          // What came while the stored requests were read may be among them.
          const next = pending.filter(captured => !subjects.has(captured))
          pending = []
          await see(next)
        }
        const waitedMs = performance.now() - startedAt
        const restMs = Math.min(watcher.remainingMs(waitedMs), timeoutMs - waitedMs)
        if (restMs <= 0 || signal.aborted) return elapsed(startedAt)
        await sleep(restMs, { signal, onWake: awake => (wake = awake) })
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
