/** The clock of the limits; tests replace it. */

export interface LimitClock {
  /** Wall clock, milliseconds since 1970: for calendar periods. */
  wall(): number
  /** Monotonic milliseconds: for rates and idle times. */
  monotonic(): number
}

export const systemLimitClock: LimitClock = { wall: Date.now, monotonic: () => performance.now() }
