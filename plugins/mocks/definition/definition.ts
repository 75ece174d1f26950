/** The definition of a mock version: settings, rules and overrides, as given and validated. */
import { StepBudget } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { issue, type Issue } from '../document/issue.ts'
import { own, type Json, type JsonObject } from '../document/json.ts'
import { type OutcomeLimits } from '../rules/outcome.ts'
import { Overrides, readOverride, type Override } from '../rules/override.ts'
import { readRules, type Rule, type RuleLimits } from '../rules/rule.ts'
import { readSettings, type Settings } from './settings.ts'

/** The parts besides the document, as given; undefined or null if absent. */
export interface GivenParts {
  settings?: Json | undefined
  rules?: Json | undefined
  overrides?: Json | undefined
}

/** The validated parts besides the document. */
export interface Parts {
  settings: Settings
  rules: Rule[]
  overrides: Overrides
}

export interface Limits {
  bounds: Bounds
  maxDelayMs: number
}

/** The limits for rules. */
export function ruleLimits({ bounds, maxDelayMs }: Limits): RuleLimits {
  return { bounds, outcome: outcomeLimits({ bounds, maxDelayMs }), checks: new StepBudget(bounds.ruleSteps) }
}

export function outcomeLimits({ bounds, maxDelayMs }: Limits): OutcomeLimits {
  return {
    maxDelayMs,
    bodyBytes: bounds.ruleBodyBytes,
    stateKeys: bounds.stateKeys,
    stateValueBytes: bounds.stateValueBytes,
  }
}

/** Finds the key of an operation by its id or by `METHOD /template`. */
export type KeyOf = (operation: string) => string | undefined

/** Validates the parts. Each invalid part results in an error with its location. */
export function readParts(given: GivenParts, limits: Limits, keyOf: KeyOf): { parts: Parts } | { errors: Issue[] } {
  const settings = readSettings(given.settings, limits.maxDelayMs)
  const rules = readRules(given.rules, ruleLimits(limits))
  const overrides = readOverrides(given.overrides, limits, keyOf)
  if ('settings' in settings && 'rules' in rules && 'overrides' in overrides)
    return { parts: { settings: settings.settings, rules: rules.rules, overrides: overrides.overrides } }
  const errors: Issue[] = []
  if ('problem' in settings) errors.push(issue('invalid_settings', settings.problem.at, settings.problem.message))
  if ('problem' in rules) errors.push(issue('invalid_rule', rules.problem.at, rules.problem.message))
  if ('problem' in overrides) errors.push(issue('invalid_override', overrides.problem.at, overrides.problem.message))
  return { errors }
}

/** Validates overrides by operation. Overrides of unknown operations are kept under the given name. */
function readOverrides(
  given: Json | undefined,
  limits: Limits,
  keyOf: KeyOf,
): { overrides: Overrides } | { problem: { at: string; message: string } } {
  const byKey = new Map<string, Override>()
  if (given !== undefined && given !== null) {
    if (!isRecord(given))
      return { problem: { at: 'overrides', message: 'expected an object that maps operations to overrides' } }
    if (Object.keys(given).length > limits.bounds.operations)
      return { problem: { at: 'overrides', message: `expected at most ${limits.bounds.operations} operations` } }
    for (const [operation, value] of Object.entries(given)) {
      const read = readOverride(value, outcomeLimits(limits))
      if ('problem' in read)
        return {
          problem: {
            at: `overrides[${JSON.stringify(operation.slice(0, 200))}]${read.problem.at && `.${read.problem.at}`}`,
            message: read.problem.message,
          },
        }
      byKey.set(operation === '*' ? '*' : (keyOf(operation) ?? operation), read.override)
    }
  }
  return { overrides: new Overrides(byKey, outcomeLimits(limits)) }
}

/** The parts as JSON, for responses, bundles and versions. */
export function partsToJson(parts: Parts): { settings: JsonObject; rules: Json[]; overrides: JsonObject } {
  return {
    settings: parts.settings.asJson,
    rules: parts.rules.map(rule => rule.asJson),
    overrides: parts.overrides.asJson(),
  }
}

/** The parts in an envelope, a bundle, or a `.mock.yaml` file. */
export function partsOf(envelope: JsonObject): GivenParts {
  return { settings: own(envelope, 'settings'), rules: own(envelope, 'rules'), overrides: own(envelope, 'overrides') }
}
