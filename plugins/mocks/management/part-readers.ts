/** Reads single parts of a mock, by the kind of its document. */
import { outcomeLimits, ruleLimits, type Limits } from '../definition/definition.ts'
import { readSettings, type SettingsProblem } from '../definition/settings.ts'
import type { Json, JsonObject } from '../document/json.ts'
import type { MockKind } from '../document/kind.ts'
import { readGraphRule, readGraphRules } from '../graph/definition.ts'
import { readGraphOverride } from '../graph/overrides.ts'
import { readGraphSettings } from '../graph/settings.ts'
import type { Problem } from '../rules/outcome.ts'
import { readOverride } from '../rules/override.ts'
import { readRule, readRules } from '../rules/rule.ts'

/** A rule as stored. */
interface ReadRule {
  id: string
  asJson: JsonObject
}

export interface PartReaders {
  settings(value: Json): { settings: { asJson: JsonObject } } | { problem: SettingsProblem }
  rules(value: Json | undefined): { rules: ReadRule[] } | { problem: Problem }
  /** A rule without an id gets one that is not in `taken`. */
  rule(value: Json, taken: Set<string>): { rule: ReadRule } | { problem: Problem }
  override(value: Json): { override: { asJson: JsonObject } } | { problem: Problem }
}

export function partReaders(kind: MockKind, limits: Limits): PartReaders {
  if (kind === 'graphql')
    return {
      settings: value => readGraphSettings(value, limits.maxDelayMs),
      rules: value => readGraphRules(value, limits),
      rule: (value, taken) => readGraphRule(value, limits, taken),
      override: value => readGraphOverride(value, outcomeLimits(limits)),
    }
  return {
    settings: value => readSettings(value, limits.maxDelayMs),
    rules: value => readRules(value, ruleLimits(limits)),
    rule: (value, taken) => readRule(value, ruleLimits(limits), taken),
    override: value => readOverride(value, outcomeLimits(limits)),
  }
}
