/** The step of a rule that comes along with a request, and acts as if a rule in front of all others had matched. */
import type { JsonObject } from '../../../contract/json.ts'
import { readRule } from '../../../rules/rule.ts'
import type { RuleEntry } from '../../../rules/rule-entry.ts'
import type { RoutingGeneration } from '../../request/types.ts'
import type { RuleServices } from '../stage.ts'

/** Characters of a step as JSON. */
const MAX_STEP = 1024 * 1024
const NAME = 'probe-step'

/** Throws `InputProblem` for an invalid step, at `/then/…`. */
export function readServedStep(
  step: JsonObject,
  { vocabulary }: RoutingGeneration['rules'],
  { book }: RuleServices,
): RuleEntry {
  const rule = readRule({ name: NAME, then: step }, '', {
    ...vocabulary,
    bounds: { ...book.bounds, ruleBytes: MAX_STEP },
    checks: null,
  })
  const { match } = rule
  return {
    id: NAME,
    rule,
    match,
    session: null,
    source: 'svc.yaml',
    file: null,
    line: null,
    createdAt: Date.now(),
    expiresAt: null,
  }
}
