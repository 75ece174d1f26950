/** Serializes changes of a host's generation: one run at a time. Reloads requested at the same time share a run. */

/** Minimum time between unforced reloads in milliseconds. Requests in a short time share one run. */
const MIN_INTERVAL_MS = 250

/** A reload that has not started. */
interface Pending<T> {
  force: boolean
  promise: Promise<T>
  timer: NodeJS.Timeout | null
  /** Queues the run. Only the first call has an effect. */
  start(): void
}

export class RunQueue<Result> {
  readonly #reload: (force: boolean) => Promise<Result | null>
  #last: Promise<unknown> = Promise.resolve()
  #pending: Pending<Result> | null = null
  #reloadedAt = -Infinity

  /**
   * `reload` does the work of one run. `force` is true if any of the requests that share the run has set it. If the run was
   * abandoned, `reload` returns null, and the requests share the next run.
   */
  constructor(reload: (force: boolean) => Promise<Result | null>) {
    this.#reload = reload
  }

  /** Runs `work` after all earlier runs have finished. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => {})
    return run
  }

  /**
   * Requests a reload. Requests that arrive before a run starts share it. A run starts at least 250 ms after the end of the
   * previous reload, or immediately if it is forced.
   */
  reload(force: boolean): Promise<Result> {
    const pending = (this.#pending ??= this.#prepare())
    pending.force ||= force
    const delayMs = force ? 0 : this.#reloadedAt + MIN_INTERVAL_MS - performance.now()
    if (delayMs <= 0) pending.start()
    else pending.timer ??= setTimeout(() => pending.start(), delayMs)
    return pending.promise
  }

  #prepare(): Pending<Result> {
    let resolve!: (result: Promise<Result>) => void
    const promise = new Promise<Result>(resolvePromise => {
      resolve = resolvePromise
    })
    const pending: Pending<Result> = {
      force: false,
      promise,
      timer: null,
      start: () => {
        clearTimeout(pending.timer ?? undefined)
        pending.start = () => {}
        resolve(
          this.enqueue(() => {
            this.#pending = null
            return this.#reload(pending.force).finally(() => {
              this.#reloadedAt = performance.now()
            })
          }).then(result => result ?? this.reload(pending.force)),
        )
      },
    }
    return pending
  }
}
