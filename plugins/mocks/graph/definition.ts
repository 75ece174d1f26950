/** The parts of a GraphQL mock besides its schema: settings, rules and overrides. */
import { isRecord } from 'svc/toolkit'
import { outcomeLimits, ruleLimits, type GivenParts, type Limits } from '../definition/definition.ts'
import { issue, type Issue } from '../document/issue.ts'
import type { Json } from '../document/json.ts'
import type { OutcomeLimits, Problem } from '../rules/outcome.ts'
import { readOneRule, readRuleList, type Rule, type RuleLimits } from '../rules/rule.ts'
import { readGraphThen, type GraphOutcome } from './outcome.ts'
import { GraphOverrides, readGraphOverride, readPlace, type GraphOverride } from './overrides.ts'
import { readGraphSettings, type GraphSettings } from './settings.ts'

export type GraphRule = Rule<GraphOutcome>

export interface GraphParts {
  settings: GraphSettings
  rules: GraphRule[]
  overrides: GraphOverrides
}

/** Facts of the operations: tests of variables, by JSON pointer. */
const FACTS = { variables: 'named' } as const

function limitsOf(limits: Limits): RuleLimits {
  return { ...ruleLimits(limits), own: FACTS }
}

export function readGraphRules(value: Json | undefined, limits: Limits): { rules: GraphRule[] } | { problem: Problem } {
  return readRuleList(value, limitsOf(limits), readGraphThen)
}

export function readGraphRule(
  value: Json,
  limits: Limits,
  taken: Set<string>,
): { rule: GraphRule } | { problem: Problem } {
  return readOneRule(value, limitsOf(limits), taken, readGraphThen)
}

/** Validates the parts. Each invalid part results in an error with its location. */
export function readGraphParts(given: GivenParts, limits: Limits): { parts: GraphParts } | { errors: Issue[] } {
  const settings = readGraphSettings(given.settings, limits.maxDelayMs)
  const rules = readGraphRules(given.rules, limits)
  const overrides = readOverrides(given.overrides, limits)
  if ('settings' in settings && 'rules' in rules && 'overrides' in overrides)
    return { parts: { settings: settings.settings, rules: rules.rules, overrides: overrides.overrides } }
  const errors: Issue[] = []
  if ('problem' in settings) errors.push(issue('invalid_settings', settings.problem.at, settings.problem.message))
  if ('problem' in rules) errors.push(issue('invalid_rule', rules.problem.at, rules.problem.message))
  if ('problem' in overrides) errors.push(issue('invalid_override', overrides.problem.at, overrides.problem.message))
  return { errors }
}

function readOverrides(given: Json | undefined, limits: Limits): { overrides: GraphOverrides } | { problem: Problem } {
  const byPlace = new Map<string, GraphOverride>()
  if (given === undefined || given === null) return { overrides: new GraphOverrides(byPlace) }
  const wrong = (at: string, message: string): { problem: Problem } => ({ problem: { at, message } })
  if (!isRecord(given)) return wrong('overrides', 'expected an object that maps places to overrides')
  if (Object.keys(given).length > limits.bounds.operations)
    return wrong('overrides', `expected at most ${limits.bounds.operations} places`)
  const own: OutcomeLimits = outcomeLimits(limits)
  for (const [place, value] of Object.entries(given)) {
    const at = `overrides[${JSON.stringify(place.slice(0, 200))}]`
    if (readPlace(place) === null)
      return wrong(at, 'expected a type, a field such as User.email, a response path such as /users/*/name, or *')
    const read = readGraphOverride(value, own)
    if ('problem' in read) return wrong(`${at}${read.problem.at && `.${read.problem.at}`}`, read.problem.message)
    byPlace.set(place, read.override)
  }
  return { overrides: new GraphOverrides(byPlace) }
}
