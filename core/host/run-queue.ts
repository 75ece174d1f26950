/** The order of what changes a host's generation: one run at a time, and reloads that arrive together share one. */

/** Milliseconds between the ends of unforced runs: a flood of triggers, most of which find nothing changed, shares one run. */
const PAUSE_MS = 250

/** A reload that has not begun. */
interface Pending<T> {
  force: boolean
  promise: Promise<T>
  timer: NodeJS.Timeout | null
  /** Queues the run; only the first call counts. */
  begin(): void
}

export class RunQueue<Result> {
  readonly #reload: (force: boolean) => Promise<Result>
  #last: Promise<unknown> = Promise.resolve()
  #pending: Pending<Result> | null = null
  #reloadedAt = -Infinity

  /** `reload` does the work of one run; `force` when one of those who share it asked for that. */
  constructor(reload: (force: boolean) => Promise<Result>) {
    this.#reload = reload
  }

  /** Runs when all earlier runs are over. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => {})
    return run
  }

  /**
   * Triggers that arrive before a run begins share it. It begins 250 ms after the last one ended at the earliest, a forced
   * one at once.
   */
  reload(force: boolean): Promise<Result> {
    const pending = (this.#pending ??= this.#prepare())
    pending.force ||= force
    const pauseMs = force ? 0 : this.#reloadedAt + PAUSE_MS - performance.now()
    if (pauseMs <= 0) pending.begin()
    else pending.timer ??= setTimeout(() => pending.begin(), pauseMs)
    return pending.promise
  }

  #prepare(): Pending<Result> {
    let resolve!: (result: Promise<Result>) => void
    const promise = new Promise<Result>(settle => {
      resolve = settle
    })
    const pending: Pending<Result> = {
      force: false,
      promise,
      timer: null,
      begin: () => {
        clearTimeout(pending.timer ?? undefined)
        pending.begin = () => {}
        resolve(
          this.enqueue(() => {
            this.#pending = null
            return this.#reload(pending.force).finally(() => {
              this.#reloadedAt = performance.now()
            })
          }),
        )
      },
    }
    return pending
  }
}
