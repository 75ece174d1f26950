/** What is counted and against what: the terms of `envoy.service.ratelimit.v3`. */

export type Unit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR'

/** The length of the windows of each unit in seconds. */
export const UNIT_SECS: Readonly<Record<Unit, number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3600,
  DAY: 86_400,
  WEEK: 604_800,
  MONTH: 30 * 86_400,
  YEAR: 365 * 86_400,
}

/** The largest number of requests, hits and remaining requests. */
export const MAX_UINT32 = 4_294_967_295

/** The unit with this name, in any case. */
export function unitOf(name: string): Unit | undefined {
  const unit = name.toUpperCase()
  return Object.hasOwn(UNIT_SECS, unit) ? (unit as Unit) : undefined
}

export interface Entry {
  key: string
  value: string
}

export interface Limit {
  requestsPerUnit: number
  /** Null: a window whose length is not that of a unit. */
  unit: Unit | null
  windowSecs: number
  /** Empty without one. */
  name: string
}

/** A limit as it is configured. */
export interface ConfiguredLimit extends Limit {
  isUnlimited: boolean
  /** Names of limits that do not count in a call in which this one does. */
  replaces: readonly string[]
  /** Counts, and answers OK. */
  isShadow: boolean
  /** A call is over a quota only if it is over all of them. */
  isQuota: boolean
}

/** A descriptor of a call. */
export interface Descriptor {
  entries: readonly Entry[]
  /** In place of the configured limit. */
  limit: Limit | null
  /** In place of the hits of the call; 0 only looks. */
  hits: number | null
}

/** A call of the service. */
export interface LimitCall {
  domain: string
  descriptors: readonly Descriptor[]
  /** At least 1. */
  hits: number
}

export type Code = 'OK' | 'OVER_LIMIT' | 'UNKNOWN'

/** The answer about one descriptor. */
export interface Status {
  code: Code
  /** Null: nothing limits the descriptor. */
  limit: Limit | null
  remaining: number
  /** Whole seconds to the end of the window; null without a limit. */
  resetSecs: number | null
}

/** `key=value` of an entry, as in conditions and records. */
export function entryText({ key, value }: Entry): string {
  return `${key}=${value}`
}

/** Such as `5/minute` or `5/10s`. */
export function limitText({ requestsPerUnit, unit, windowSecs }: Limit): string {
  return `${requestsPerUnit}/${unit === null ? `${windowSecs}s` : unit.toLowerCase()}`
}
