/** Waits for something to happen on a connection. */

/** Milliseconds since the epoch that never go backwards. */
export function clock(): number {
  return performance.timeOrigin + performance.now()
}

export class Changes {
  readonly #listeners = new Set<() => void>()

  notify(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Resolves when the condition holds after something has happened, or the time is over. */
  waitUntil(condition: () => boolean, deadlineMs: () => number): Promise<boolean> {
    return new Promise(resolve => {
      let timer: NodeJS.Timeout
      const done = (result: boolean): void => {
        clearTimeout(timer)
        this.#listeners.delete(check)
        resolve(result)
      }
      const check = (): void => {
        if (condition()) return done(true)
        const left = deadlineMs() - clock()
        if (left <= 0) return done(false)
        clearTimeout(timer)
        // After a stall, timers run before what has come meanwhile is read.
        timer = setTimeout(() => setImmediate(() => setImmediate(checkUnlessDone)), left + 1)
      }
      const checkUnlessDone = (): void => {
        if (this.#listeners.has(check)) check()
      }
      this.#listeners.add(check)
      check()
    })
  }
}
