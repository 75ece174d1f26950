/** The members of a step of a rule. */
import type { Json, JsonObject } from '../contract/json.ts'
import { asMembers, InputProblem } from './input-problem.ts'
import { checkReferences } from './references.ts'
import { RULE_REFERENCES } from './request-references.ts'

/**
 * Reads an object with known members, whose texts have no references but those of rules; `atLeast` is the smallest number of members.
 * Throws an `InputProblem`.
 */
export function readStepMembers(value: Json, at: string, known: readonly string[], atLeast = 0): JsonObject {
  const given = asMembers(value, at, known)
  if (Object.keys(given).length < atLeast) throw new InputProblem(at, `expected one of ${known.join(', ')}`)
  checkReferences(given, RULE_REFERENCES, at, 'remove it')
  return given
}
