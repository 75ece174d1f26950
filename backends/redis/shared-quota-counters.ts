/** Counters of limits in the state store, each change one script. */
import { StateUnavailable } from '../../core/contract/state.ts'
import type { Dimension } from '../../core/limits/plan-limiter.ts'
import type {
  QuotaChange,
  QuotaClaim,
  QuotaOutcome,
  QuotaReading,
  QuotaState,
  QuotaSubject,
} from '../../core/limits/quota-claims.ts'
import type { QuotaCounters, SharedReplicas } from '../../core/state/shared-backend.ts'
import { ADMIT, CHANGE, READ } from './quota-scripts.ts'
import type { StoreConnection } from './store-connection.ts'

const LABEL = '_core/quota'

export class SharedQuotaCounters implements QuotaCounters {
  readonly #connection: StoreConnection
  readonly #replicas: SharedReplicas
  readonly #key: string

  /** `key` is the beginning of the keys, such as `svc:{quota}`. */
  constructor(connection: StoreConnection, replicas: SharedReplicas, key: string) {
    this.#connection = connection
    this.#replicas = replicas
    this.#key = key
  }

  async admit(claims: readonly QuotaClaim[]): Promise<QuotaOutcome | null> {
    const reply = await this.#run('admit', ADMIT, { claims })
    if (reply === null) return null
    const [failed, dimension, states] = reply as [number, Dimension, RawState[]]
    const parsed = states.map(stateOf)
    return failed === 0
      ? { isAdmitted: true, states: parsed }
      : { isAdmitted: false, failed: failed - 1, dimension, states: parsed }
  }

  async change(changes: readonly QuotaChange[]): Promise<boolean> {
    return (await this.#run('change', CHANGE, { changes })) !== null
  }

  async read(subjects: readonly QuotaSubject[]): Promise<QuotaReading[] | null> {
    const reply = await this.#run('read', READ, { subjects })
    if (reply === null) return null
    return (reply as [RawState, string, string, string][]).map(([state, byRate, byQuota, seen]) => ({
      ...stateOf(state),
      rejectedByRate: Number(byRate),
      rejectedByQuota: Number(byQuota),
      lastSeen: seen === '' ? null : Number(seen),
    }))
  }

  async ids(group: string): Promise<string[]> {
    const key = `${this.#key}:${group}`
    const ids = await this.#connection.send(key, 'ZRANGE', key, '0', '-1').catch(unlessUnavailable)
    return (ids as string[] | null) ?? []
  }

  forgetReplica(id: string, replica: string): void {
    const key = `${this.#key}:${id}`
    this.#connection.send(key, 'HDEL', key, `f:${replica}`, `s:${replica}`).catch(() => {})
  }

  /** Null if the store is unavailable or full. */
  #run(operation: string, script: typeof ADMIT, input: object): Promise<unknown> {
    const living = this.#replicas.list().map(({ replica }) => replica)
    const text = JSON.stringify({ replica: this.#replicas.self, living, ...input })
    return this.#connection.run(LABEL, operation, script, `${this.#key}:u`, [text]).catch(unlessUnavailable)
  }
}

function unlessUnavailable(error: unknown): null {
  if (error instanceof StateUnavailable) return null
  throw error
}

type RawState = [string, string, string, number, number, number]

function stateOf([start, requests, egress, tokens, flights, streams]: RawState): QuotaState {
  return { start: Number(start), requests: Number(requests), egress: Number(egress), tokens, flights, streams }
}
