/** A Prometheus histogram that can count the same value many times at once. */

export class Histogram {
  /** Upper bounds in ascending order, without infinity. */
  readonly bounds: readonly number[]
  readonly #counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(value: number, times = 1): void {
    if (times <= 0) return
    this.sum += value * times
    this.count += times
    const bucket = this.bounds.findIndex(bound => value <= bound)
    if (bucket >= 0) this.#counts[bucket]! += times
  }

  /** Values up to each bound. */
  cumulative(): number[] {
    let sum = 0
    return this.#counts.map(count => (sum += count))
  }
}
