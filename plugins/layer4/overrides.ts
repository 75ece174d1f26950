/** Faults that the control plane sets for a listener, until the next reload. */
import type { Replicated, Store, Svc } from 'svc/plugin'
import { readAbort } from './abort.ts'
import type { ConnectionFaults } from './connection.ts'
import type { Faults, Layer4Options } from './options.ts'

export interface Override extends Faults {
  /** For the next connections; absent: for all. */
  times?: number
}

/** With an id, so that counts of an earlier override do not matter. */
type StoredOverride = Override & { id: string }

const MAX_COUNTS = 1000
const COUNT_MS = 86_400_000

export class Overrides {
  readonly #set: Replicated<Record<string, StoredOverride>>
  /** Connections by override. */
  readonly #used: Store<number>

  constructor(svc: Svc<Layer4Options>) {
    this.#set = svc.replicated<Record<string, StoredOverride>>('overrides', { initial: () => ({}) })
    this.#used = svc.state<number>('override-uses', { maxCount: MAX_COUNTS, ttlMs: COUNT_MS })
    const started = svc.shared('started', () => ({ isFirst: true }))
    svc.whenRegistered(async () => {
      if (!started.isFirst && Object.keys(this.#set.current).length > 0) await this.#set.update(() => ({}))
      started.isFirst = false
    })
  }

  /** The override of a listener, as it was set; null without one. */
  of(listener: string): Override | null {
    const set = this.#set.current[listener]
    if (set === undefined) return null
    const { id: _id, ...override } = set
    return override
  }

  async put(listener: string, override: Override, id: string): Promise<void> {
    await this.#set.update(all => ({ ...all, [listener]: { ...override, id } }))
  }

  /** Returns whether there was one. */
  async remove(listener: string): Promise<boolean> {
    const isThere = this.#set.current[listener] !== undefined
    if (isThere) await this.#set.update(({ [listener]: _removed, ...others }) => others)
    return isThere
  }

  /** Whether the next connection of a listener has to be counted, so that `faults` must be awaited. */
  counts(listener: string): boolean {
    return this.#set.current[listener]?.times !== undefined
  }

  /** The faults of the next connection, without counting it. */
  known(listener: string, own: Faults, maxDelayMs: number): ConnectionFaults {
    return faultsOf({ ...own, ...this.#set.current[listener] }, maxDelayMs)
  }

  /** The faults of the next connection. */
  async take(listener: string, own: Faults, maxDelayMs: number): Promise<ConnectionFaults> {
    const override = this.#set.current[listener]
    if (override?.times === undefined) return this.known(listener, own, maxDelayMs)
    const used = await this.#used.increment(override.id)
    return faultsOf(used > override.times ? own : { ...own, ...override }, maxDelayMs)
  }
}

function faultsOf({ abort, delay_ms: delayMs = 0, drip }: Faults, maxDelayMs: number): ConnectionFaults {
  return {
    abort: abort === undefined ? null : readAbort(abort),
    delayMs: Math.min(delayMs, maxDelayMs),
    drip: drip ?? null,
  }
}
