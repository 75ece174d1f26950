/** Strict fixtures: a text generation on which no rule acts is an error. */
import type { MessageRule, ProtocolFacts, RuleOutcome } from 'svc/plugin'
import { ProviderError } from '../contract/errors.ts'
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { Parsed } from '../contract/parsed.ts'
import { factsOf } from '../testing/protocol.ts'
import { messageOf } from './apply-rules.ts'
import { idsOf } from '../validation/violations.ts'
import { violationsOf } from './validate.ts'

const HEADER = 'X-Svc-Strict-Fixtures'

/** Throws the provider's 404 if the request needs a rule, and none acted on it. */
export function requireFixture(call: ModelCall, services: CallServices): boolean | Promise<boolean> {
  const { parsed, requestedFault, ruleOutcome } = call
  if (call.result !== null || parsed?.op !== 'chat' || requestedFault !== null || hasActed(ruleOutcome)) return true
  if (!isStrict(call, services.strictFixtures)) return true
  return missingFixture(call, parsed, services).then(error => {
    throw error
  })
}

/** Whether the request needs a rule: by its header, otherwise by `llm.strict_fixtures`. */
function isStrict(call: ModelCall, isDefault: boolean): boolean {
  const header = call.header('x-svc-strict-fixtures')
  if (header === undefined) return isDefault
  if (header === 'true' || header === 'false') return header === 'true'
  call.svc.http.ignoreHeader(call.request, HEADER, 'expected true or false')
  return isDefault
}

/** Whether a rule acted on the request. */
function hasActed(rule: RuleOutcome | MessageRule | null): boolean {
  return rule !== null && (rule.kind !== 'pass' || rule.rule !== null)
}

/** The provider's 404, which names the closest rule. */
async function missingFixture(call: ModelCall, parsed: Parsed, services: CallServices): Promise<ProviderError> {
  const facts: ProtocolFacts = {
    protocol: 'llm',
    read: () => Promise.resolve([factsOf(call, parsed, () => idsOf(violationsOf(call, services)))]),
    takesReply: () => Promise.resolve(true),
  }
  const closest = await call.svc.http.closestRule(call.request, facts, messageOf(call))
  if (closest === null) return new ProviderError('not_found', { message: 'no fixture matches' })
  const { name, differences } = closest
  const why = differences.length === 0 ? 'is exhausted or disabled' : `differs in ${differences.slice(0, 5).join(', ')}`
  return new ProviderError('not_found', { message: `no fixture matches; the closest is ${name}, which ${why}` })
}
