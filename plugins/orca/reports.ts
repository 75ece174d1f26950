/** The report of the instance: set by a client, by svc.yaml, or measured. */
import type { Replicated, Store } from 'svc/plugin'
import { Measurements } from './measured.ts'
import type { OrcaSvc } from './options.ts'
import type { LoadReport } from './report.ts'

/** Reports that the tests of gRPC set for their own session. */
const TEST_REPORTS = { maxCount: 100, maxBytes: 1024 * 1024, ttlMs: 600_000 }

export class Reports {
  readonly measurements: Measurements
  readonly #svc: OrcaSvc
  readonly #set: Replicated<LoadReport | null>
  readonly #ofTests: Store<LoadReport>
  readonly #configured: LoadReport | null

  constructor(svc: OrcaSvc) {
    this.#svc = svc
    this.measurements = svc.shared('measurements', () => new Measurements())
    this.#set = svc.replicated<LoadReport | null>('report', { initial: () => null })
    this.#ofTests = svc.state<LoadReport>('test-reports', TEST_REPORTS)
    const { report } = svc.options
    const { cpuUtilization } = svc.variables
    this.#configured =
      report === undefined && cpuUtilization === null
        ? null
        : { ...(cpuUtilization === null ? {} : { cpu_utilization: cpuUtilization }), ...report }
  }

  /** Where the report comes from. */
  get source(): 'set' | 'configured' | 'measured' {
    if (this.#set.current !== null) return 'set'
    return this.#configured === null ? 'measured' : 'configured'
  }

  current(): LoadReport {
    return this.#set.current ?? this.#configured ?? this.#measured()
  }

  /** Sets the report on all replicas; null: no longer. */
  async set(report: LoadReport | null): Promise<void> {
    await this.#set.update(() => report)
  }

  /** The report out of band for a session. */
  async ofSession(key: string): Promise<LoadReport> {
    return (await this.#ofTests.get(key)) ?? this.current()
  }

  async setForSession(key: string, report: LoadReport): Promise<void> {
    await this.#ofTests.set(key, report)
  }

  #measured(): LoadReport {
    const loads = this.#svc.use('llm.providers')?.loads() ?? []
    return this.measurements.report(performance.now(), loads)
  }
}
