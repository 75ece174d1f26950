/** What one admitted request holds of the plan: a concurrency slot or a stream slot. */
import type { Counters } from './counters.ts'
import type { QuotaDelta } from './shared-quota.ts'

export class Lease {
  readonly #counters: Counters
  readonly #maxStreams: number
  readonly #periodStart: number
  #hasFlight = true
  #hasStream = false
  #isCounted = true
  #isReleased = false
  #egressBytes = 0

  /** `maxStreams` is `Infinity` for requests that are never rejected. */
  constructor(counters: Counters, maxStreams: number, isStream: boolean) {
    this.#counters = counters
    this.#maxStreams = maxStreams
    this.#periodStart = counters.period.start
    counters.inFlight++
    if (isStream) this.#takeStream()
  }

  /**
   * The response is a stream: it takes a stream slot and releases its concurrency slot. Returns false, without changes,
   * if no stream slot is free.
   */
  becomeStream(): boolean {
    // A route that responds too late must not take a slot, because nothing would release it.
    if (this.#isReleased) return true
    if (!this.#hasStream) {
      if (this.#counters.openStreams + this.#counters.otherStreams >= this.#maxStreams) return false
      this.#takeStream()
      this.#report({ streams: 1 })
    }
    this.#releaseFlight()
    return true
  }

  /** The response is not a stream, although one was expected. */
  notAStream(): void {
    this.#releaseStream()
  }

  /** Adds response body bytes that were written. */
  addEgress(bytes: number): void {
    if (!this.#isCounted) return
    this.#counters.egressBytes += bytes
    if (this.#counters.account === null) return
    this.#egressBytes += bytes
    this.#counters.openEgressBytes += bytes
    if (this.#isReleased) this.#reportEgress()
  }

  /**
   * Undoes the count, because the request was not served after all. Its token is returned only if the request got no
   * further.
   */
  giveBack({ withToken }: { withToken: boolean }): void {
    this.release()
    if (!this.#isCounted) return
    this.#isCounted = false
    if (this.#counters.period.start === this.#periodStart) this.#counters.requests--
    if (withToken) this.#counters.bucket?.giveBack()
    this.#report({ requests: { start: this.#periodStart, by: -1 }, ...(withToken && { tokens: 1 }) })
  }

  /** The response has ended or its connection is closed. */
  release(): void {
    this.#isReleased = true
    this.#releaseFlight()
    this.#releaseStream()
    this.#reportEgress()
  }

  #takeStream(): void {
    this.#hasStream = true
    this.#counters.openStreams++
  }

  #releaseFlight(): void {
    if (!this.#hasFlight) return
    this.#hasFlight = false
    this.#counters.inFlight--
    this.#report({ flights: -1 })
  }

  #releaseStream(): void {
    if (!this.#hasStream) return
    this.#hasStream = false
    this.#counters.openStreams--
    this.#report({ streams: -1 })
  }

  #reportEgress(): void {
    if (this.#egressBytes === 0) return
    this.#counters.openEgressBytes -= this.#egressBytes
    this.#report({ egress: this.#egressBytes })
    this.#egressBytes = 0
  }

  /** To the state store, if there is one. */
  #report(delta: QuotaDelta): void {
    this.#counters.account?.report(delta)
  }
}
