/** Generations that were replaced and finish their requests, and how many are still in memory. */
import type { StreamRegistry } from '../http/streams/stream-registry.ts'
import type { BuildResult } from './build.ts'

/** Maximum number of generations at a time, including the current one. */
const MAX_GENERATIONS = 8

/** An error of a callback that runs while a generation is closed; `plugin` is null for the core. */
export type CloseErrorReporter = (plugin: string | null, error: unknown) => void

export class Draining {
  readonly #streams: StreamRegistry
  readonly #reportError: CloseErrorReporter
  readonly #results: BuildResult[] = []
  #inMemory = 0
  /** Counts collected generations. Reading a weak reference would keep its generation alive until the end of the turn. */
  readonly #collected = new FinalizationRegistry<null>(() => {
    this.#inMemory--
  })

  constructor(streams: StreamRegistry, reportError: CloseErrorReporter) {
    this.#streams = streams
    this.#reportError = reportError
  }

  /** Generations that serve or drain. */
  get open(): number {
    return this.#results.length + 1
  }

  /** Generations in memory, including those that are not garbage-collected yet. */
  get inMemory(): number {
    return this.#inMemory
  }

  /** Counts a generation that starts to serve. */
  count(result: BuildResult): void {
    this.#inMemory++
    this.#collected.register(result.generation, null)
  }

  /** Retires a replaced generation once its last request has ended. If too many drain, the oldest is ended. */
  add(result: BuildResult): void {
    this.#results.push(result)
    result.generation.onDrained = () => void this.retire(result)
    result.generation.replace()
    while (this.#results.length >= MAX_GENERATIONS) this.#endOldest()
  }

  /** Closes all of them, even if they have open requests. */
  async close(): Promise<void> {
    await Promise.all(this.#results.splice(0).map(result => this.retire(result)))
  }

  async retire(result: BuildResult): Promise<void> {
    const index = this.#results.indexOf(result)
    if (index !== -1) this.#results.splice(index, 1)
    await result.generation.close(this.#reportError)
    result.release()
  }

  #endOldest(): void {
    const oldest = this.#results.shift()!
    this.#streams.endAll({ generation: oldest.generation.number, reason: 'reload' })
    void this.retire(oldest)
  }
}
