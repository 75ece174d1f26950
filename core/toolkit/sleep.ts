/** Waiting for some time. */

export interface SleepOptions {
  /** Ends the wait. */
  signal?: AbortSignal
  /** The wait does not keep the process running. */
  isBackground?: boolean
  /** Gets a function that ends the wait early, as if the time were over. */
  onWake?(wake: () => void): void
}

/**
 * Waits for `work`, but not longer than `ms` milliseconds. The timer keeps the process running, so that a command that awaits
 * this does not end with exit code 13 if nothing else is open. Rejects if `work` does so in time.
 */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const ending = new AbortController()
  try {
    await Promise.race([work, sleep(ms, { signal: ending.signal })])
  } finally {
    ending.abort()
  }
}

/**
 * Resolves with true after `ms` milliseconds, or with false as soon as the signal aborts. Does not wait for a timer if `ms`
 * is 0 or less.
 */
export function sleep(ms: number, { signal, isBackground = false, onWake }: SleepOptions = {}): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false)
  if (ms <= 0) return Promise.resolve(true)
  return new Promise(resolve => {
    const end = (isOver: boolean): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(isOver)
    }
    const stop = (): void => end(false)
    const timer = setTimeout(end, ms, true)
    // Timers of browsers are numbers.
    if (isBackground && typeof timer === 'object') timer.unref()
    signal?.addEventListener('abort', stop)
    onWake?.(() => end(true))
  })
}
