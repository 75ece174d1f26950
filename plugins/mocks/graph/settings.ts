/** The settings of a GraphQL mock. */
import { isRecord } from 'svc/toolkit'
import {
  BOOLEAN,
  COMMON_SETTINGS,
  oneOf,
  readKeys,
  settingsSchema,
  whole,
  type SettingKey,
  type SettingsProblem,
} from '../definition/settings.ts'
import { own, type Json, type JsonObject } from '../document/json.ts'

export interface GraphSettings {
  delayMs: number
  seed: string
  capture: boolean
  blockBreaking: boolean
  /** Items of a list without an argument for it. */
  listSize: number
  /** Share of nullable fields that are null. */
  nullPercent: number
  introspection: boolean
  stateful: 'off' | 'session'
  subscription: { count: number; intervalMs: number }
  /** Operations of a batch; 0: no batches. */
  batching: number
  csrf: boolean
  depth: number
  complexity: number
  /** The JSON representation, including defaults. */
  asJson: JsonObject
}

const SUBSCRIPTION = { count: { default: 3, ...whole(1, 100) }, interval_ms: { default: 500, ...whole(50, 10_000) } }

const KEYS: Record<string, SettingKey> = {
  ...COMMON_SETTINGS,
  list_size: { default: 2, ...whole(0, 50) },
  null_percent: { default: 0, ...whole(0, 100) },
  introspection: { default: true, ...BOOLEAN },
  stateful: { default: 'off', ...oneOf(['off', 'session']) },
  subscription: {
    default: { count: SUBSCRIPTION.count.default, interval_ms: SUBSCRIPTION.interval_ms.default },
    schema: settingsSchema(SUBSCRIPTION),
    problem(value, maxDelayMs) {
      if (!isRecord(value)) return 'expected an object with count and interval_ms'
      const read = readKeys(value, SUBSCRIPTION, maxDelayMs)
      return 'problem' in read ? `${read.problem.at.replace(/^settings\./, '')}: ${read.problem.message}` : null
    },
  },
  batching: { default: 10, ...whole(0, 10) },
  csrf: { default: false, ...BOOLEAN },
  depth: { default: 20, ...whole(1, 100) },
  complexity: { default: 5000, ...whole(1, 20_000) },
}

/** JSON Schema of the settings, for editors. */
export const GRAPH_SETTINGS_SCHEMA = settingsSchema(KEYS)

/** Validates settings and fills in defaults. */
export function readGraphSettings(
  value: Json | undefined,
  maxDelayMs: number,
): { settings: GraphSettings } | { problem: SettingsProblem } {
  const read = readKeys(value, KEYS, maxDelayMs)
  if ('problem' in read) return read
  const { asJson } = read
  const paced = own(asJson, 'subscription') as JsonObject
  const subscription = {
    count: Number(own(paced, 'count') ?? SUBSCRIPTION.count.default),
    interval_ms: Number(own(paced, 'interval_ms') ?? SUBSCRIPTION.interval_ms.default),
  }
  return {
    settings: {
      delayMs: Number(asJson['delay_ms']),
      seed: String(asJson['seed']),
      capture: asJson['capture'] === true,
      blockBreaking: asJson['block_breaking'] === true,
      listSize: Number(asJson['list_size']),
      nullPercent: Number(asJson['null_percent']),
      introspection: asJson['introspection'] === true,
      stateful: asJson['stateful'] as GraphSettings['stateful'],
      subscription: { count: subscription.count, intervalMs: subscription.interval_ms },
      batching: Number(asJson['batching']),
      csrf: asJson['csrf'] === true,
      depth: Number(asJson['depth']),
      complexity: Number(asJson['complexity']),
      asJson: { ...asJson, subscription },
    },
  }
}
