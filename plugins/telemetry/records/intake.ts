/** Collects the records of one call within bounds. What exceeds them is rejected and counted, with the reason. */
import { heldValueBytes } from 'svc/toolkit'
import type { Kind, Report } from './record.ts'

export interface IntakeBounds {
  /** Records of one call. */
  count: number
  /** Memory of the records of one call, in bytes. */
  bytes: number
  /** Memory of one record, in bytes. */
  recordBytes: number
  /** Only records with a session are kept. */
  needsSession: boolean
}

/** A record, or a part of one, that is left out; the message says why. */
export class Rejected extends Error {}

const MAX_REASONS = 3

export class Intake<K extends Kind> {
  readonly bounds: IntakeBounds
  readonly reports: Report<K>[] = []
  /** Number of records that were left out. */
  rejected = 0
  readonly #reasons = new Set<string>()
  #bytes = 0
  /** Records that were read and left out, which costs as much as keeping them. */
  #unfit = 0

  constructor(bounds: IntakeBounds) {
    this.bounds = bounds
  }

  /** Whether further records are only counted. */
  get isFull(): boolean {
    const { count, bytes } = this.bounds
    return this.reports.length >= count || this.#bytes >= bytes || this.#unfit >= count
  }

  /** Adds a record; `make` may throw `Rejected`. */
  add(make: () => Report<K>): void {
    const { count, recordBytes } = this.bounds
    if (this.isFull) return this.reject(`at most ${count} records and ${this.bounds.bytes} bytes of a call are kept`)
    try {
      const report = make()
      const bytes = heldValueBytes(report.record)
      if (bytes > recordBytes) throw new Rejected(`a record has more than ${recordBytes} bytes`)
      this.#bytes += bytes
      this.reports.push(report)
    } catch (error) {
      if (!(error instanceof Rejected)) throw error
      this.#unfit++
      this.reject(error.message)
    }
  }

  reject(reason: string, count = 1): void {
    this.rejected += count
    if (this.#reasons.size < MAX_REASONS) this.#reasons.add(reason)
  }

  /** The reasons in a sentence; null if nothing was left out. */
  get message(): string | null {
    return this.rejected === 0 ? null : `${this.rejected} not kept: ${[...this.#reasons].join('; ')}`
  }
}
