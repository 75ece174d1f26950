/** Strict fixtures: a text generation on which no rule acts is an error. */
import type { MessageRule, RuleOutcome } from 'svc/plugin'
import { ProviderError } from '../contract/errors.ts'
import type { Exchange } from '../call/model-call.ts'
import type { Parsed } from '../contract/provider.ts'
import { factsOf } from '../testing/protocol.ts'

const HEADER = 'X-Svc-Strict-Fixtures'

/** Whether the request needs a rule: by its header, otherwise by `llm.strict_fixtures`. */
export function isStrict(exchange: Exchange, isDefault: boolean): boolean {
  const header = exchange.header('x-svc-strict-fixtures')
  if (header === undefined) return isDefault
  if (header === 'true' || header === 'false') return header === 'true'
  exchange.svc.http.ignoreHeader(exchange.request, HEADER, 'expected true or false')
  return isDefault
}

/** Whether a rule acted on the request. */
export function hasActed(rule: RuleOutcome | MessageRule | null): boolean {
  return rule !== null && (rule.kind !== 'pass' || rule.rule !== null)
}

/** The provider's 404, which names the closest rule. */
export async function missingFixture(
  { svc, request, instance, route }: Exchange,
  parsed: Parsed,
): Promise<ProviderError> {
  const closest = await svc.http.closestRule(request, {
    protocol: 'llm',
    read: () => Promise.resolve([factsOf({ instance, route }, parsed)]),
    takesReply: () => Promise.resolve(true),
  })
  if (closest === null) return new ProviderError('not_found', { message: 'no fixture matches' })
  const { name, differences } = closest
  const why = differences.length === 0 ? 'is exhausted or disabled' : `differs in ${differences.slice(0, 5).join(', ')}`
  return new ProviderError('not_found', { message: `no fixture matches; the closest is ${name}, which ${why}` })
}
