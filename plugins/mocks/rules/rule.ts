/** Rules: conditions on a request, and the response if they match. */
import { isRecord, type Conditions } from 'svc/toolkit'
import { own, ownObject, ownText, type Json, type JsonObject } from '../document/json.ts'
import { readRuleConditions, type ConditionLimits } from './conditions.ts'
import { readOutcome, type Outcome, type OutcomeLimits, type Problem } from './outcome.ts'

export interface Rule<Then = Outcome> {
  id: string
  enabled: boolean
  /** As given; null for all operations. */
  operation: string | null
  /** Whether the rule is evaluated before security and validation. */
  bypass: boolean
  outcome: Then
  conditions: Conditions
  /** As given, with the id, for responses. */
  asJson: JsonObject
  /** In the language of rules; null if it was given in it. */
  translated: JsonObject | null
}

const KEYS = new Set(['id', 'name', 'enabled', 'operation', 'bypass', 'match', 'when', 'then'])

export interface RuleLimits extends ConditionLimits {
  outcome: OutcomeLimits
}

/** Reads what a rule does. */
export type ReadThen<Then> = (then: JsonObject, limits: OutcomeLimits) => { outcome: Then } | { problem: Problem }

/** Of OpenAPI mocks. */
const readOpenApiThen: ReadThen<Outcome> = (then, limits) => readOutcome(then, [], limits)

/** Validates a list of rules. Rules without an id get `r1`, `r2`, … */
export function readRules(value: Json | undefined, limits: RuleLimits): { rules: Rule[] } | { problem: Problem } {
  return readRuleList(value, limits, readOpenApiThen)
}

/** The same for rules that do something else. */
export function readRuleList<Then>(
  value: Json | undefined,
  limits: RuleLimits,
  readThen: ReadThen<Then>,
): { rules: Rule<Then>[] } | { problem: Problem } {
  if (value === undefined || value === null) return { rules: [] }
  if (!Array.isArray(value)) return { problem: { at: 'rules', message: 'expected a list' } }
  if (value.length > limits.bounds.rules)
    return { problem: { at: 'rules', message: `expected at most ${limits.bounds.rules} rules` } }
  const taken = new Set(value.flatMap(entry => (isRecord(entry) ? (ownText(entry, 'id') ?? []) : [])))
  const rules: Rule<Then>[] = []
  for (const [index, entry] of value.entries()) {
    const read = readOneRule(entry, limits, taken, readThen)
    if ('problem' in read)
      return {
        problem: { at: `rules[${index}]${read.problem.at && `.${read.problem.at}`}`, message: read.problem.message },
      }
    if (rules.some(rule => rule.id === read.rule.id))
      return {
        problem: { at: `rules[${index}].id`, message: `the id "${read.rule.id}" is already used by another rule` },
      }
    rules.push(read.rule)
  }
  return { rules }
}

/** Validates a rule. A rule without an id gets one that is not in `taken`; the id is added to `taken`. */
export function readRule(value: Json, limits: RuleLimits, taken: Set<string>): { rule: Rule } | { problem: Problem } {
  return readOneRule(value, limits, taken, readOpenApiThen)
}

/** The same for a rule that does something else. */
export function readOneRule<Then>(
  value: Json,
  limits: RuleLimits,
  taken: Set<string>,
  readThen: ReadThen<Then>,
): { rule: Rule<Then> } | { problem: Problem } {
  const wrong = (at: string, message: string): { problem: Problem } => ({ problem: { at, message } })
  if (!isRecord(value)) return wrong('', 'expected an object')
  const unknown = Object.keys(value).find(key => !KEYS.has(key))
  if (unknown !== undefined) return wrong(unknown.slice(0, 64), `unknown key (known: ${[...KEYS].join(', ')})`)
  const id = own(value, 'id') ?? freeId(taken)
  if (typeof id !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(id))
    return wrong('id', 'expected 1 to 64 characters of A-Z a-z 0-9 . _ -')
  const operation = own(value, 'operation') ?? null
  if (operation !== null && (typeof operation !== 'string' || operation.length > 512))
    return wrong('operation', 'expected an operationId or "METHOD /path"')
  const flags = readFlags(value)
  if ('problem' in flags) return flags
  const read = readRuleConditions(value, limits)
  if ('problem' in read) return read
  if (!isRecord(own(value, 'then'))) return wrong('then', 'expected an object')
  const outcome = readThen(ownObject(value, 'then') ?? {}, limits.outcome)
  if ('problem' in outcome) return wrong(`then.${outcome.problem.at}`, outcome.problem.message)
  taken.add(id)
  const { conditions, match, isOlder } = read.conditions
  const asJson = { ...value, id }
  return {
    rule: {
      id,
      enabled: flags.enabled,
      operation,
      bypass: flags.bypass,
      outcome: outcome.outcome,
      conditions,
      asJson,
      translated: isOlder ? translate(asJson, match) : null,
    },
  }
}

/** The rule with its conditions in the language of rules, before what it does. */
function translate({ when: _when, match: _match, then, ...rest }: JsonObject, match: JsonObject): JsonObject {
  return { ...rest, ...(Object.keys(match).length === 0 ? {} : { match }), then: then! }
}

function freeId(taken: ReadonlySet<string>): string {
  let number = 1
  while (taken.has(`r${number}`)) number++
  return `r${number}`
}

function readFlags(value: JsonObject): { enabled: boolean; bypass: boolean } | { problem: Problem } {
  const enabled = own(value, 'enabled') ?? true
  const bypass = own(value, 'bypass') ?? false
  const name = own(value, 'name') ?? ''
  if (typeof enabled !== 'boolean') return { problem: { at: 'enabled', message: 'expected true or false' } }
  if (typeof bypass !== 'boolean') return { problem: { at: 'bypass', message: 'expected true or false' } }
  if (typeof name !== 'string' || name.length > 200)
    return { problem: { at: 'name', message: 'expected a string of at most 200 characters' } }
  return { enabled, bypass }
}
