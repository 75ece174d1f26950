/** The stage that applies rules: the first one whose conditions hold, and that acts on this request. */
import { whenRead } from '../../../match/pending-facts.ts'
import { isTooExpensive } from '../../../contract/budgets.ts'
import type { MessageRule, NearRule, ProtocolFacts, RuleMessage, RuleOutcome } from '../../../contract/plugin.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { MatchSubject } from '../../../match/subject.ts'
import type { RequestContext } from '../../request/context.ts'
import { ANSWERED, delayOf, mark, outcomeOf, perform } from '../rules/acting.ts'
import { answerInRoute } from '../rules/answering.ts'
import { readServedStep } from '../rules/served-step.ts'
import { isExempt, subjectOf, subjectOfMessage } from '../rules/subject.ts'
import { takeAmong, type TakenRule } from '../rules/taking.ts'
import type { PipelineServices, RuleServices } from '../stage.ts'

const PASS: Extract<RuleOutcome, { kind: 'pass' }> = { kind: 'pass', rule: null }

/** The control plane and exempt paths have no rules. Routes with `ownFail` apply rules themselves. */
export function applyRules(context: RequestContext, { rules }: PipelineServices): boolean | Promise<boolean> {
  if (context.served !== null) return applyServed(context, rules)
  const own = context.generation.rules
  if (!rules.book.hasRules(own)) return true
  if (!rules.book.mayFit(own, targetsOf(context), () => context.session.header)) return true
  if (context.description?.ownFail || isExempt(context)) return true
  const subject = subjectOf(context, rules)
  const candidates = rules.book.candidates(context.generation.rules, subject)
  if (candidates.length === 0) return true
  return takeAmong(candidates, context, subject, rules, {
    replies: false,
    steps: context.description?.steps ?? [],
  }).then(async taken => {
    if (taken === null) return !context.closed && !context.response.headersSent
    const outcome = await perform(taken, context, rules)
    return outcome.kind === 'pass'
  })
}

/** The rule of a request that the tap has claimed. */
function servedRule({ served }: RequestContext, subject: MatchSubject): TakenRule | null {
  return served?.rule == null ? null : { entry: served.rule, step: served.rule.rule.steps[0]!, hit: 0, subject }
}

function applyServed(context: RequestContext, rules: RuleServices): boolean | Promise<boolean> {
  if (context.description?.ownFail) return true
  const taken = servedRule(context, subjectOf(context, rules))
  return taken === null || perform(taken, context, rules).then(({ kind }) => kind === 'pass')
}

/** For routes that apply rules themselves, after they have checked credentials. */
export function applyRulesInRoute(
  context: RequestContext,
  rules: RuleServices,
  facts?: ProtocolFacts,
): Promise<RuleOutcome> | null {
  if (context.served !== null) {
    const taken = servedRule(context, subjectOf(context, rules))
    return taken && perform(taken, context, rules, { isInRoute: true })
  }
  const answer = answerInRoute(context, rules)
  if (answer !== null)
    return answer.then(isSent => (isSent ? ANSWERED : (applyStoredRules(context, rules, facts) ?? PASS)))
  return applyStoredRules(context, rules, facts)
}

function applyStoredRules(
  context: RequestContext,
  rules: RuleServices,
  facts?: ProtocolFacts,
): Promise<RuleOutcome> | null {
  const own = context.generation.rules
  if (!rules.book.hasRules(own) || !rules.book.mayFit(own, targetsOf(context), () => context.session.header))
    return null
  if (isExempt(context)) return null
  const subject = subjectOf(context, rules)
  const candidates = rules.book.candidates(own, subject)
  if (candidates.length === 0) return null
  return takeAmong(candidates, context, subject, rules, { replies: true, facts }).then(taken => {
    if (taken !== null) return perform(taken, context, rules, { isInRoute: true })
    return context.closed ? ANSWERED : PASS
  })
}

/** For requests within another one: the rule, which the route applies. */
export function applyRulesToMessage(
  context: RequestContext,
  rules: RuleServices,
  message: RuleMessage,
  facts: ProtocolFacts,
): Promise<MessageRule> | null {
  if (message.step !== undefined) return Promise.resolve(ofStep(message.step))
  if (context.served !== null) return null
  const own = context.generation.rules
  const { url, canAbort } = message
  const { session = context.session.header } = message
  if (!rules.book.hasRules(own) || !rules.book.mayFit(own, [url], () => session)) return null
  const subject = subjectOfMessage(context, rules, message)
  const candidates = rules.book.candidates(own, subject)
  if (candidates.length === 0) return null
  return ofMessage()

  function ofStep(step: JsonObject): MessageRule {
    const entry = readServedStep(step, context.generation.rules, rules)
    const subject = subjectOfMessage(context, rules, message)
    const taken = { entry, step: entry.rule.steps[0]!, hit: 0, subject }
    return { ...outcomeOf(taken, context), delayMs: delayOf(taken, rules.config.maxDelayMs), tested: [] }
  }

  async function ofMessage(): Promise<MessageRule> {
    const isOwnProtocol = own.vocabulary.protocols.find(facts.protocol)?.messages != null
    if (isOwnProtocol) subject.setProtocol(facts.protocol, await facts.read())
    const messages = isOwnProtocol ? facts.protocol : null
    const taken = await takeAmong(candidates, context, subject, rules, {
      replies: true,
      facts,
      message: { canAbort },
      messages,
    })
    if (taken === null) return { ...PASS, delayMs: 0, tested: [] }
    mark(taken, context, rules)
    const { tested } = taken.entry.match
    return { ...outcomeOf(taken, context), delayMs: delayOf(taken, rules.config.maxDelayMs), tested }
  }
}

/** The rule with conditions of a protocol that a request nearly meets, or a request within it; null if there is none. */
export async function closestRule(
  context: RequestContext,
  rules: RuleServices,
  facts: ProtocolFacts,
  message: RuleMessage | null,
): Promise<NearRule | null> {
  const subject = message === null ? subjectOf(context, rules) : subjectOfMessage(context, rules, message)
  subject.setProtocol(facts.protocol, await facts.read())
  const session = context.session.header
  const scopes = session === null ? [null] : [session, null]
  let closest: NearRule | null = null
  try {
    for (const scope of scopes)
      for (const { match, rule } of rules.book.list(context.generation.rules, scope).entries) {
        if (!match.protocols.includes(facts.protocol)) continue
        const { differences: found } = await whenRead(() => match.explain(subject))
        const differences = found.map(({ at }) => at)
        if (closest === null || differences.length < closest.differences.length)
          closest = { name: rule.name, differences }
      }
  } catch (error) {
    if (!isTooExpensive(error)) throw error
  }
  return closest
}

/** For calls outside the pipeline: the rule, without applying it. The body is never read. */
export async function takeRuleOfCall(context: RequestContext, rules: RuleServices): Promise<TakenRule | null> {
  if (!rules.book.hasRules(context.generation.rules)) return null
  const subject = subjectOf(context, rules)
  const taken = await takeAmong(rules.book.candidates(context.generation.rules, subject), context, subject, rules, {
    replies: false,
    isCall: true,
  })
  if (taken !== null) mark(taken, context, rules)
  return taken
}

/** As received, and as served. */
function targetsOf({ url, routeTarget }: RequestContext): readonly string[] {
  return routeTarget === url ? [url] : [url, routeTarget]
}
