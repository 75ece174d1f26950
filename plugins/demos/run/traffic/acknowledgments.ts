/** Tells the upstream how many events of a stream have come, by the state of a scenario, so that it can wait before it sends the next. */
import type { RunContext } from '../context.ts'
import { EventReader } from '../sent.ts'

export class Acknowledgments {
  readonly #context: RunContext
  readonly #scenario: string
  readonly #reader = new EventReader()
  #count = 0
  /** One at a time, so that the last one wins. */
  #sending: Promise<void> = Promise.resolve()
  #error: unknown = null

  constructor(context: RunContext, scenario: string) {
    this.#context = context
    this.#scenario = scenario
  }

  readonly onParts = (parts: readonly { atMs: number; bytes: Buffer }[]): void => {
    const found = this.#reader.eventsOf(parts, 0).length
    if (found === 0) return
    const count = (this.#count += found)
    const { control, id } = this.#context
    const path = `/_svc/scenarios/${encodeURIComponent(this.#scenario)}?session=${id}`
    this.#sending = this.#sending.then(async () => {
      try {
        await control.get('PUT', path, { state: String(count) })
      } catch (error) {
        this.#error ??= error
      }
    })
  }

  /** Rejects with `UpstreamError` if the upstream did not take one. */
  async sent(): Promise<void> {
    await this.#sending
    if (this.#error !== null) throw this.#error
  }
}
