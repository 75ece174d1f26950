/** Owns the list of running agents of all replicas, which limits their number. */
import type { Store } from 'svc/plugin'
import { A2aError } from '../protocol/errors.ts'
import type { RunEntry } from './stores.ts'

export class RunSlots {
  readonly #runs: Store<RunEntry>
  readonly #limit: number

  constructor(runs: Store<RunEntry>, limit: number) {
    this.#runs = runs
    this.#limit = limit
  }

  /** The error if no further task can run. */
  async refusal(): Promise<A2aError | null> {
    return (await this.#runs.count()) < this.#limit ? null : this.#tooMany()
  }

  /** Lists a run. Throws if too many tasks are running. */
  async take(runId: string, entry: RunEntry): Promise<void> {
    const [, count] = await Promise.all([this.#runs.set(runId, entry, { group: entry.replica }), this.#runs.count()])
    if (count <= this.#limit) return
    await this.release(runId)
    throw this.#tooMany()
  }

  async release(runId: string): Promise<void> {
    await this.#runs.delete(runId)
  }

  /** The runs of replicas other than these. */
  async lostTo(living: ReadonlySet<string>): Promise<{ runId: string; task: string }[]> {
    const lost = await this.#runs.list({ where: ({ replica }) => !living.has(replica) })
    return lost.map(({ key, value }) => ({ runId: key, task: value.task }))
  }

  #tooMany(): A2aError {
    return new A2aError('RESOURCE_EXHAUSTED', `too many running tasks (at most ${this.#limit})`)
  }
}
