/** Keeps reports that come one by one, many at once: looking up their sessions takes the same time for one and for a hundred. */
import type { Svc } from 'svc/plugin'
import { Intake } from '../records/intake.ts'
import type { Kind, Report } from '../records/record.ts'
import type { Reports } from '../records/reports.ts'

const DELAY_MS = 20

export class Batch<K extends Kind> {
  readonly #svc: Svc<unknown>
  readonly #reports: Reports
  readonly #kind: K
  readonly #source: string
  #intake: Intake<K>
  #timer: NodeJS.Timeout | undefined
  #keeping: Promise<void> = Promise.resolve()

  constructor(svc: Svc<unknown>, reports: Reports, kind: K, source: string) {
    this.#svc = svc
    this.#reports = reports
    this.#kind = kind
    this.#source = source
    this.#intake = new Intake(reports.bounds)
    svc.whenClosed(() => this.#flush())
  }

  /** `make` may throw `Rejected`: then it is counted. */
  add(make: () => Report<K>): void {
    this.#intake.add(make)
    this.#timer ??= setTimeout(() => void this.#flush(), DELAY_MS).unref()
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const intake = this.#intake
    if (intake.reports.length + intake.rejected === 0) return this.#keeping
    this.#intake = new Intake(this.#reports.bounds)
    return (this.#keeping = this.#keeping
      .then(() => this.#reports.keep(this.#kind, this.#source, null, intake))
      .catch((error: unknown) => this.#svc.log.error('reports could not be kept', { source: this.#source, error })))
  }
}
