/** The clocks of limits and streams; tests replace them. */

export interface LimitClock {
  /** Wall clock, milliseconds since 1970: for calendar periods. */
  wall(): number
  /** Monotonic milliseconds: for rates and idle times. */
  monotonic(): number
}

export const systemLimitClock: LimitClock = { wall: Date.now, monotonic: () => performance.now() }

/** A clock that also runs timers. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number
  /** Calls back once after this many milliseconds; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref()
    return () => clearTimeout(timer)
  },
}
