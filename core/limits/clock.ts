/** Where the limits take time from; tests turn it by hand. */

export interface LimitClock {
  /** Wall clock, milliseconds since 1970: for calendar periods. */
  wall(): number
  /** Milliseconds that only grow: for rates and idle times. */
  monotonic(): number
}

export const systemLimitClock: LimitClock = { wall: Date.now, monotonic: () => performance.now() }
