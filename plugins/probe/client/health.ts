/** Whether the gateway and the upstream still answer, and whether something else has disturbed a measurement. */
import { sleep } from 'svc/toolkit'
import { fail, fault, skip, type Check, type Facts, type Verdict } from '../catalog/check.ts'
import { BackChannelError, type BackChannel } from './back-channel.ts'
import { routeOf, type End } from './group-routes.ts'
import type { Routes } from './routes.ts'
import { modelPlan, type RecognizedPair } from '../pairs/recognition.ts'
import type { RequestSpec } from './request.ts'
import { LoadMonitor } from './load-monitor.ts'
import { EJECTED_MS, type Route, type StepRunner } from './step-runner.ts'

const HEALTH_CHECK: Pick<Check, 'id' | 'plan'> = {
  id: 'HEALTH',
  plan: () => ({ connections: [{ requests: [{ timeoutMs: 5_000 }] }] }),
}
const RETRY_MS = 500
const HOSTILE_MS = 10_000
const NOT_SERVING = 'the gateway stopped serving'
const DISTURBED_PAUSE_MS = 1_000
/** Replicas notice within 12 s that another one has ended. */
const REPLICA_MS = 20_000
/** Checks in a row without a connection, after which the gateway is asked. */
const MAX_UNCONNECTED = 3

interface HealthOptions {
  runner: StepRunner
  channels: readonly BackChannel[]
  gateway: End
  facts: Facts
  signal: AbortSignal
}

/** The request that tells whether the gateway serves, and where it goes. */
interface Target {
  plan: Pick<Check, 'id' | 'plan'>
  end: End
}

export class Health {
  /** The end that is no longer reached; the run ends then. */
  lost: 'upstream lost' | 'gateway lost' | null = null
  readonly #options: HealthOptions
  readonly #load = new LoadMonitor()
  #unconnected = 0
  #target: Target

  constructor(options: HealthOptions) {
    this.#options = options
    this.#target = { plan: HEALTH_CHECK, end: options.gateway }
  }

  /** For gateways that do not route `/probe`: a request on the client wire of this pair tells whether it serves. */
  useModel(pair: RecognizedPair, routes: Routes): void {
    this.#target = this.#targetOf(pair, routes)
  }

  /** For gateways that join graphs: this request tells whether they serve. */
  useGraph(request: RequestSpec, routes: Routes): void {
    this.#target = {
      plan: { id: 'HEALTH', plan: () => ({ connections: [{ requests: [request] }] }) },
      end: routeOf({ group: 'gql' }, this.#options.gateway, routes),
    }
  }

  #targetOf({ client, model, fields }: RecognizedPair, routes: Routes): Target {
    return {
      plan: { id: 'HEALTH', plan: () => modelPlan(client, model, fields) },
      end: routeOf({ group: 'translate' }, this.#options.gateway, routes),
    }
  }

  stop(): void {
    this.#load.stop()
  }

  get isOver(): boolean {
    return this.lost !== null || this.#options.signal.aborted
  }

  /**
   * Whether the gateway forwards an ordinary request within this time. Rejects with `BackChannelError` if a replica of the
   * upstream does not reply, since nothing is known of the gateway then.
   */
  async serves(withinMs: number, { plan, end } = this.#target): Promise<boolean> {
    const until = performance.now() + withinMs
    do {
      if (await this.#isServed({ ...end, protocol: '1.1' }, plan)) return true
      await sleep(RETRY_MS)
    } while (performance.now() < until && !this.isOver)
    return false
  }

  /**
   * Before a check that breaks something: waits for an upstream that the gateway has taken out of service; with a pair, for that of
   * its model. Returns the verdict if the check can't run.
   */
  async beforeBreaking(
    isHostile: boolean,
    own: { pair: RecognizedPair; routes: Routes } | null,
  ): Promise<Verdict | null> {
    const target = own === null ? this.#target : this.#targetOf(own.pair, own.routes)
    try {
      if (await this.serves(isHostile ? HOSTILE_MS : EJECTED_MS, target)) return null
      return skip(isHostile ? NOT_SERVING : 'ejected')
    } catch (error) {
      return fault((error as Error).message)
    }
  }

  /** After a hostile check: the verdict if the gateway no longer serves, or if nothing is known of it. */
  async afterHostile(): Promise<Verdict | null> {
    try {
      if (await this.serves(HOSTILE_MS)) return null
    } catch (error) {
      return fault((error as Error).message)
    }
    if (this.lost !== null) return fault(this.lost)
    return this.#options.signal.aborted ? null : fail(NOT_SERVING)
  }

  /** Asked again before half of the catalog is skipped, since the machine may be busy. */
  async speaksHttp2(end: End): Promise<boolean> {
    if (await this.#isServed({ ...end, protocol: '2' })) return true
    await sleep(DISTURBED_PAUSE_MS)
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

  /** Whether a replica of the upstream joined or ended since then. */
  haveReplicasChangedSince(ms: number): boolean {
    return this.#options.channels.some(channel => channel.hasChangedSince(ms))
  }

  /** Instances of the upstream that ended during the run. */
  get goneInstances(): string[] {
    return this.#options.channels.flatMap(({ gone }) => [...gone])
  }

  /** Whether this process stalled, or a replica of the upstream joined or ended, since then; waits a moment if so. */
  async wasDisturbed(sinceMs: number): Promise<boolean> {
    if (this.isOver) return false
    if (!this.haveReplicasChangedSince(sinceMs) && !this.#load.hasStalledSince(sinceMs)) return false
    await sleep(DISTURBED_PAUSE_MS)
    return true
  }

  async #isServed(route: Route, plan = this.#target.plan): Promise<boolean> {
    const until = performance.now() + REPLICA_MS
    for (;;)
      try {
        const { first } = await this.#options.runner.run(plan, this.#options.facts, route)
        return first.count > 0 && first.status === 200
      } catch (error) {
        if (!(error instanceof BackChannelError)) throw error
        this.noteLoss(error)
        if (!error.isOfReplica) return false
        if (performance.now() > until || this.isOver) throw error
        await sleep(DISTURBED_PAUSE_MS)
      }
  }
}
