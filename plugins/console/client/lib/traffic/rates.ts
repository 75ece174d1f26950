/** Counts requests per second by outcome, for charts. Bounded: it forgets seconds of more than an hour ago. */
import { statusClass, type Entry } from '../protocol/http.ts'

/** Outcomes in the order in which a chart stacks them. `ok`: a status below 400. */
export const OUTCOMES = ['ok', '4xx', '5xx', 'aborted'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Requests by outcome, in the order of `OUTCOMES`. */
export type Counts = readonly number[]

export interface Bucket {
  /** Milliseconds since 1970, inclusive. */
  from: number
  /** Exclusive. */
  to: number
  counts: Counts
}

const KEPT_SECONDS = 3600
/** IDs that are remembered, so that entries which a resumed feed sends again are not counted twice. */
const KNOWN_IDS = 2000

export function outcomeOf({ ended, status }: Pick<Entry, 'ended' | 'status'>): Outcome {
  if (ended === 'aborted') return 'aborted'
  const group = statusClass(status)
  return group === '4xx' || group === '5xx' ? group : 'ok'
}

export class Rates {
  #seconds = new Map<number, number[]>()
  #known = new Set<string>()

  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (this.#known.has(entry.id)) continue
      this.#known.add(entry.id)
      const second = Math.floor(Date.parse(entry.timestamp) / 1000)
      const counts = this.#seconds.get(second) ?? OUTCOMES.map(() => 0)
      counts[OUTCOMES.indexOf(outcomeOf(entry))]!++
      this.#seconds.set(second, counts)
    }
    this.#forget()
  }

  clear(): void {
    this.#seconds.clear()
  }

  /** `count` buckets of equal, whole seconds; the last one contains `now`. */
  buckets(now: number, count: number, secondsPerBucket: number): Bucket[] {
    const width = secondsPerBucket * 1000
    const end = (Math.floor(now / width) + 1) * width
    return Array.from({ length: count }, (_, index) => {
      const from = end - (count - index) * width
      const counts = OUTCOMES.map(() => 0)
      for (let second = from / 1000; second < (from + width) / 1000; second++)
        this.#seconds.get(second)?.forEach((value, outcome) => {
          counts[outcome]! += value
        })
      return { from, to: from + width, counts }
    })
  }

  #forget(): void {
    while (this.#known.size > KNOWN_IDS) this.#known.delete(this.#known.values().next().value!)
    const oldest = Math.floor(Date.now() / 1000) - KEPT_SECONDS
    if (this.#seconds.size > KEPT_SECONDS)
      for (const second of this.#seconds.keys()) if (second < oldest) this.#seconds.delete(second)
  }
}
