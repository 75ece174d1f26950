/** Whether the gateway and the upstream still answer, and whether something else has disturbed a measurement. */
import type { Check, Facts, Verdict } from '../catalog/check.ts'
import { BackChannelError } from './back-channel.ts'
import type { BackChannel } from './back-channel.ts'
import { pause } from './changes.ts'
import type { End } from './group-routes.ts'
import { LoadMonitor } from './load-monitor.ts'
import type { Route, StepRunner } from './step-runner.ts'

const HEALTH_CHECK: Pick<Check, 'id' | 'plan'> = {
  id: 'HEALTH',
  plan: () => ({ connections: [{ requests: [{ timeoutMs: 5_000 }] }] }),
}
const RETRY_MS = 500
const DISTURBED_PAUSE_MS = 1_000
/** Checks in a row without a connection, after which the gateway is asked. */
const MAX_UNCONNECTED = 3

interface HealthOptions {
  runner: StepRunner
  channels: readonly BackChannel[]
  gateway: End
  facts: Facts
  signal: AbortSignal
}

export class Health {
  /** The end that is no longer reached; the run ends then. */
  lost: 'upstream lost' | 'gateway lost' | null = null
  readonly #options: HealthOptions
  readonly #load = new LoadMonitor()
  #unconnected = 0

  constructor(options: HealthOptions) {
    this.#options = options
  }

  stop(): void {
    this.#load.stop()
  }

  get isOver(): boolean {
    return this.lost !== null || this.#options.signal.aborted
  }

  /** Whether the gateway forwards an ordinary request within this time. */
  async serves(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs
    do {
      if (await this.#isServed({ ...this.#options.gateway, protocol: '1.1' })) return true
      await pause(RETRY_MS)
    } while (performance.now() < until && !this.isOver)
    return false
  }

  /** Asked again before half of the catalog is skipped, since the machine may be busy. */
  async speaksHttp2(end: End): Promise<boolean> {
    if (await this.#isServed({ ...end, protocol: '2' })) return true
    await pause(DISTURBED_PAUSE_MS)
    return this.#isServed({ ...end, protocol: '2' })
  }

  noteLoss(error: unknown): void {
    if (error instanceof BackChannelError && error.isLost) this.lost ??= 'upstream lost'
  }

  /** After three checks in a row without a connection, the gateway is asked whether it is there at all. */
  async countUnconnected(verdict: Verdict | null): Promise<void> {
    const isUnconnected = verdict?.verdict === 'error' && verdict.summary.startsWith('no connection')
    this.#unconnected = isUnconnected ? this.#unconnected + 1 : 0
    if (this.#unconnected >= MAX_UNCONNECTED && !(await this.serves(1_000))) this.lost ??= 'gateway lost'
  }

  /** Whether this process stalled, or a replica of the upstream joined or ended, since then; waits a moment if so. */
  async wasDisturbed(sinceMs: number): Promise<boolean> {
    if (this.isOver) return false
    const hasChanged = this.#options.channels.some(channel => channel.hasChangedSince(sinceMs))
    if (!hasChanged && !this.#load.hasStalledSince(sinceMs)) return false
    await pause(DISTURBED_PAUSE_MS)
    return true
  }

  async #isServed(route: Route): Promise<boolean> {
    try {
      const { first } = await this.#options.runner.run(HEALTH_CHECK, this.#options.facts, route)
      return first.count > 0 && first.status === 200
    } catch (error) {
      if (!(error instanceof BackChannelError)) throw error
      this.noteLoss(error)
      return false
    }
  }
}
