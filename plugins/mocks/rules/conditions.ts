/** The conditions of a rule: in the language of rules (`match`), or in the older spelling (`match: all|any` and `when`). */
import { isTooExpensive, type StepBudget } from 'svc/plugin'
import { InputProblem, isRecord, readConditions, type Conditions } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { own, type Json, type JsonObject } from '../document/json.ts'
import { joinMatches, placeOfValue, translateCondition } from './older-conditions.ts'
import type { Problem } from './outcome.ts'

export interface ConditionLimits {
  bounds: Bounds
  /** What checking the patterns and queries of all rules may take. */
  checks: StepBudget
  /** Further facts that the requests have. */
  own?: Readonly<Record<string, 'value' | 'named'>>
}

export interface RuleConditions {
  conditions: Conditions
  /** In the language of rules. */
  match: JsonObject
  isOlder: boolean
}

/** The facts that only requests of mocks have. */
const OWN = { state: 'named', count: 'value', violations: 'value' } as const

/** Reads the conditions of a rule. */
export function readRuleConditions(
  rule: JsonObject,
  limits: ConditionLimits,
): { conditions: RuleConditions } | { problem: Problem } {
  const match = own(rule, 'match')
  const when = own(rule, 'when')
  if (isRecord(match)) {
    if (when !== undefined) return wrong('when', 'expected match or when, not both')
    return compile(match, 'match', limits, false)
  }
  if (match !== undefined && match !== 'all' && match !== 'any')
    return wrong('match', 'expected an object with conditions, or "all" or "any" with when')
  const older = readOlder(when, limits)
  if ('problem' in older) return older
  const joined = joinMatches(older.matches, match === 'any')
  const isOlder = match !== undefined || when !== undefined
  return compile(joined, 'match', limits, isOlder)
}

function wrong(at: string, message: string): { problem: Problem } {
  return { problem: { at, message } }
}

function compile(
  match: JsonObject,
  at: string,
  { bounds, checks, own: further }: ConditionLimits,
  isOlder: boolean,
): { conditions: RuleConditions } | { problem: Problem } {
  const facts = { ...OWN, ...further }
  const options = isOlder
    ? { checks, maxTests: Infinity, own: facts, isTrusted: true }
    : { checks, maxTests: bounds.conditions, own: facts }
  const read = tryRead(() => readConditions(match, at, options))
  if ('problem' in read) return read.problem.at === TOO_LARGE ? wrong(at, read.problem.message) : read
  return { conditions: { conditions: read.value, match, isOlder } }
}

/** Each condition is checked on its own, so that a problem has its place. */
function readOlder(
  when: Json | undefined,
  { bounds, checks }: ConditionLimits,
): { matches: JsonObject[] } | { problem: Problem } {
  if (when === undefined || when === null) return { matches: [] }
  if (!Array.isArray(when) || when.length > bounds.conditions)
    return wrong('when', `expected a list of at most ${bounds.conditions} conditions`)
  const matches: JsonObject[] = []
  for (const [index, entry] of when.entries()) {
    const read = translateCondition(entry)
    if ('problem' in read) {
      const { at, message } = read.problem
      return wrong(`when[${index}]${at && `.${at}`}`, message)
    }
    const checked = tryRead(() => readConditions(read.match, '', { checks, own: OWN, isTrusted: true }))
    if ('problem' in checked) {
      const isCost = checked.problem.at === TOO_LARGE
      return wrong(`when[${index}]${isCost ? '' : `.${placeOfValue(entry)}`}`, checked.problem.message)
    }
    matches.push(read.match)
  }
  return { matches }
}

const TOO_LARGE = '\0'

function tryRead<T>(read: () => T): { value: T } | { problem: Problem } {
  try {
    return { value: read() }
  } catch (error) {
    if (isTooExpensive(error)) return wrong(TOO_LARGE, 'the patterns of the rules are too large')
    if ((error as Partial<InputProblem>).code !== 'SVC_INPUT_PROBLEM') throw error
    const { at, message, remedy } = error as InputProblem
    return wrong(at, remedy === undefined ? message : `${message}; ${remedy}`)
  }
}
