/** Overrides of the responses of an operation, or of all operations (`*`). */
import { isRecord } from 'svc/toolkit'
import { own, setOwn, type Json, type JsonObject } from '../document/json.ts'
import { readOutcome, type Outcome, type OutcomeLimits, type Problem } from './outcome.ts'

export interface Override {
  enabled: boolean
  outcome: Outcome
  /** Failure rate in percent. */
  failPercent: number
  failStatus: number
  /** As given, for responses. */
  asJson: JsonObject
}

const OWN_KEYS = ['enabled', 'fail_percent', 'fail_status'] as const

/** Validates an override. */
export function readOverride(value: Json, limits: OutcomeLimits): { override: Override } | { problem: Problem } {
  if (!isRecord(value)) return { problem: { at: '', message: 'expected an object' } }
  const enabled = own(value, 'enabled') ?? true
  const failPercent = own(value, 'fail_percent') ?? 0
  const failStatus = own(value, 'fail_status') ?? 503
  if (typeof enabled !== 'boolean') return { problem: { at: 'enabled', message: 'expected true or false' } }
  if (typeof failPercent !== 'number' || !(failPercent >= 0 && failPercent <= 100))
    return { problem: { at: 'fail_percent', message: 'expected a number from 0 to 100' } }
  if (!Number.isInteger(failStatus) || Number(failStatus) < 400 || Number(failStatus) > 599)
    return { problem: { at: 'fail_status', message: 'expected a status from 400 to 599' } }
  for (const key of ['set_state', 'abort'])
    if (Object.hasOwn(value, key)) return { problem: { at: key, message: 'this key is only allowed in rules' } }
  const read = readOutcome(value, OWN_KEYS, limits)
  if ('problem' in read) return read
  return { override: { enabled, outcome: read.outcome, failPercent, failStatus: Number(failStatus), asJson: value } }
}

/** The overrides of a mock by operation key, with a cache of the effective overrides. */
export class Overrides {
  readonly #byKey: ReadonlyMap<string, Override>
  readonly #limits: OutcomeLimits
  readonly #effective = new Map<string, Override | null>()

  constructor(byKey: ReadonlyMap<string, Override>, limits: OutcomeLimits) {
    this.#byKey = byKey
    this.#limits = limits
  }

  get count(): number {
    return this.#byKey.size
  }

  get(key: string): Override | undefined {
    return this.#byKey.get(key)
  }

  /** As JSON, by operation key. */
  asJson(): JsonObject {
    const result: JsonObject = {}
    for (const [key, override] of this.#byKey) setOwn(result, key, override.asJson)
    return result
  }

  /** The effective override of an operation: its own fields merged over those of `*`; null if neither is set. */
  effective(key: string): Override | null {
    let found = this.#effective.get(key)
    if (found === undefined) {
      found = this.#combine(this.#active('*'), this.#active(key))
      this.#effective.set(key, found)
    }
    return found
  }

  #active(key: string): Override | undefined {
    const override = this.#byKey.get(key)
    return override?.enabled ? override : undefined
  }

  #combine(all: Override | undefined, own: Override | undefined): Override | null {
    if (!all || !own) return own ?? all ?? null
    const read = readOverride({ ...all.asJson, ...own.asJson }, this.#limits)
    return 'override' in read ? read.override : own
  }
}
