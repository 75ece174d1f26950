/** A histogram that keeps its counts in plain arrays, since the metrics library takes noticeable time to observe. */
import { ByLabels, type Labels } from './by-labels.ts'
import type { Sample } from './metrics.ts'

interface Counted {
  /** Values above the previous bound and up to this one; the last element counts those above all bounds. */
  buckets: number[]
  sum: number
}

export class Histogram {
  readonly #name: string
  readonly #bounds: readonly number[]
  readonly #labelNames: readonly string[]
  readonly #counted: ByLabels<Counted>

  /** `bounds` ascend. */
  constructor(name: string, bounds: readonly number[], labelNames: readonly string[]) {
    this.#name = name
    this.#bounds = bounds
    this.#labelNames = labelNames
    this.#counted = new ByLabels(labelNames)
    if (labelNames.length === 0) this.#begin({})
  }

  /** Throws for unknown labels, and for what is not a number. */
  observe(labels: Labels, value: number): void {
    this.#check(value)
    this.#count(this.#find(labels), value)
  }

  /** Finds the labels once. The series appears with its first value. */
  labels(labels: Labels): { observe(value: number): void } {
    let counted: Counted | undefined
    return {
      observe: value => {
        this.#check(value)
        counted ??= this.#find(labels)
        this.#count(counted, value)
      },
    }
  }

  #find(labels: Labels): Counted {
    return this.#counted.find(labels) ?? this.#begin(labels)
  }

  #check(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`the value of ${this.#name} must be a number`)
  }

  #count(counted: Counted, value: number): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++
    counted.buckets[bucket]! += 1
    counted.sum += value
  }

  /** Number of combinations of labels. */
  get size(): number {
    return this.#counted.size
  }

  samples(): Sample[] {
    return this.#counted.all().flatMap(({ labels: given, counted }) => {
      const labels = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
      let count = 0
      const buckets = counted.buckets.map((value, index): Sample => {
        count += value
        const bound = this.#bounds[index]
        return {
          suffix: '_bucket',
          labels: { ...labels, le: bound === undefined ? '+Inf' : String(bound) },
          value: count,
        }
      })
      return [...buckets, { suffix: '_sum', labels, value: counted.sum }, { suffix: '_count', labels, value: count }]
    })
  }

  #begin(labels: Labels): Counted {
    const unknown = Object.keys(labels).find(name => !this.#labelNames.includes(name))
    if (unknown !== undefined) throw new Error(`${this.#name} has no label ${JSON.stringify(unknown)}`)
    return this.#counted.add(labels, { buckets: [...this.#bounds, Infinity].map(() => 0), sum: 0 })
  }
}
