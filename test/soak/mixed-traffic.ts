/** The requests of `bench/`, one after the other, with every fourth from the examples of the catalog. */
import { Agent, fetch } from 'undici'
import { setTimeout as wait } from 'node:timers/promises'
import { cases, type Case } from '../../bench/cases.ts'
import { catalogExamples, statusOfExample, type ExampleOf } from '../support/catalog.ts'
import { isFitting } from './fitting.ts'

const CLIENTS = 6
const PAUSE_MS = 2
/** Milliseconds after which a client aborts an example that waits intentionally. */
const PATIENCE_MS = 500
/** Sessions that clients name: more than any store keeps apart, so that all bounds are reached. */
const SESSIONS = 10_000
/** After this many rounds, headers such as those of an MCP session are requested again. */
const ROUNDS_PREPARED = 50

export class MixedTraffic {
  sent = 0
  readonly problems: string[] = []
  readonly #url: string
  readonly #examples: ExampleOf[]
  readonly #prepared = new Map<Case, { headers: Record<string, string>; round: number }>()

  private constructor(url: string, examples: ExampleOf[]) {
    this.#url = url
    this.#examples = examples
  }

  static async create(url: string): Promise<MixedTraffic> {
    return new MixedTraffic(url, (await catalogExamples(url)).filter(isFitting))
  }

  /** Sends requests until a time of `performance.now()`; all have ended afterwards. */
  async run(endsAt: number): Promise<void> {
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        // Some examples break their connection.
        const own = new Agent({ connections: 1 })
        const ofExamples = new Agent({ connections: 1 })
        while (performance.now() < endsAt) {
          const number = this.sent++
          const isExample = number % 4 === 3
          await (isExample ? this.#sendExample(number, ofExamples) : this.#sendCase(number, own)).catch(
            (error: Error) => this.problems.push(`${error.message} ${String(error.cause ?? '')}`),
          )
          await wait(PAUSE_MS)
        }
        await Promise.all([own.destroy(), ofExamples.destroy()])
      }),
    )
  }

  async #sendExample(number: number, dispatcher: Agent): Promise<void> {
    const one = this.#examples[Math.floor(number / 4) % this.#examples.length]!
    const status = await statusOfExample(this.#url, one, PATIENCE_MS, dispatcher).catch(() => 0)
    const { expect_status: expected, path } = one.example
    if (status === 500 && expected !== 500 && expected !== null) this.problems.push(`${path}: 500`)
  }

  async #sendCase(number: number, dispatcher: Agent): Promise<void> {
    const round = Math.floor(number / 4)
    const one = cases[(number - round) % cases.length]!
    const prepared = await this.#prepare(one, round)
    const response = await fetch(this.#url + one.path, {
      method: one.method ?? 'GET',
      headers: {
        ...one.headers,
        ...prepared,
        ...(number % 2 === 0 && { 'X-Svc-Session': `soak-${number % SESSIONS}` }),
      },
      body: one.body ?? null,
      dispatcher,
    })
    await response.text()
    // A bounded store of sessions has evicted this one.
    if (response.status === 404) this.#prepared.delete(one)
    else if (!response.ok) this.problems.push(`${one.name}: ${response.status}`)
  }

  async #prepare(one: Case, round: number): Promise<Record<string, string>> {
    if (one.prepare === undefined) return {}
    const known = this.#prepared.get(one)
    if (known !== undefined && round - known.round < ROUNDS_PREPARED * cases.length) return known.headers
    const headers = await one.prepare(this.#url)
    this.#prepared.set(one, { headers, round })
    return headers
  }
}
