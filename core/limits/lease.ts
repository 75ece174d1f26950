/** What one admitted request holds of the plan: its place among those in flight, or its stream slot. */
import type { Counters } from './counters.ts'

export class Lease {
  readonly #counters: Counters
  readonly #maxStreams: number
  readonly #periodStart: number
  #hasFlight = true
  #hasStream = false
  #isCounted = true
  #isReleased = false

  /** `maxStreams` is `Infinity` for what is never refused. */
  constructor(counters: Counters, maxStreams: number, isStream: boolean) {
    this.#counters = counters
    this.#maxStreams = maxStreams
    this.#periodStart = counters.period.start
    counters.inFlight++
    if (isStream) this.#takeStream()
  }

  /** The answer is a stream: its stream slot instead of the place in flight. False: no slot is free, nothing changed. */
  becomeStream(): boolean {
    // A route that is late answers nobody, and must not take a slot that nothing would free.
    if (this.#isReleased) return true
    if (!this.#hasStream) {
      if (this.#counters.openStreams >= this.#maxStreams) return false
      this.#takeStream()
    }
    this.#leaveFlight()
    return true
  }

  /** The answer is none, although one was expected. */
  stayOrdinary(): void {
    this.#leaveStream()
  }

  /** Bytes of response body that were written. */
  addEgress(bytes: number): void {
    if (this.#isCounted) this.#counters.egressBytes += bytes
  }

  /** The request was not served after all and does not count. Its token comes back only when it never got any further. */
  giveBack({ withToken }: { withToken: boolean }): void {
    this.release()
    if (!this.#isCounted) return
    this.#isCounted = false
    if (this.#counters.period.start === this.#periodStart) this.#counters.requests--
    if (withToken) this.#counters.bucket?.giveBack()
  }

  /** The response is over, or its connection gone. */
  release(): void {
    this.#isReleased = true
    this.#leaveFlight()
    this.#leaveStream()
  }

  #takeStream(): void {
    this.#hasStream = true
    this.#counters.openStreams++
  }

  #leaveFlight(): void {
    if (this.#hasFlight) this.#counters.inFlight--
    this.#hasFlight = false
  }

  #leaveStream(): void {
    if (this.#hasStream) this.#counters.openStreams--
    this.#hasStream = false
  }
}
