/** The load that clients state by `PUT /ai/{provider}/load`: on all replicas, or on this one. */
import type { Replicated } from 'svc/plugin'

export const GAUGES = ['running', 'waiting', 'kv_usage'] as const
export type Gauge = (typeof GAUGES)[number]

/** A value until a time, in milliseconds since 1970. */
export interface Stated {
  value: number
  until: number
}
export type StatedGauges = Partial<Record<Gauge, Stated>>
/** By provider. */
export type StatedLoads = Readonly<Record<string, StatedGauges>>

/** A change: null resets a gauge. */
export type LoadChange = Partial<Record<Gauge, number | null>>

export class StatedLoad {
  readonly #provider: string
  readonly #everywhere: Replicated<StatedLoads>
  /** Of this replica; takes precedence. */
  #own: StatedGauges = {}

  constructor(provider: string, everywhere: Replicated<StatedLoads>) {
    this.#provider = provider
    this.#everywhere = everywhere
  }

  async change(change: LoadChange, until: number, scope: 'all' | 'replica'): Promise<void> {
    if (scope === 'replica') {
      this.#own = changed(this.#own, change, until)
      return
    }
    const provider = this.#provider
    await this.#everywhere.update(loads => ({ ...loads, [provider]: changed(loads[provider] ?? {}, change, until) }))
  }

  /** The values in force. */
  current(now: number): StatedGauges {
    const everywhere = this.#everywhere.current[this.#provider] ?? {}
    return Object.fromEntries(
      GAUGES.flatMap(gauge => {
        const stated = [this.#own[gauge], everywhere[gauge]].find(one => one !== undefined && one.until > now)
        return stated === undefined ? [] : [[gauge, stated]]
      }),
    )
  }
}

function changed(gauges: StatedGauges, change: LoadChange, until: number): StatedGauges {
  const next = { ...gauges }
  for (const gauge of GAUGES) {
    const value = change[gauge]
    if (value === null) delete next[gauge]
    else if (value !== undefined) next[gauge] = { value, until }
  }
  return next
}
