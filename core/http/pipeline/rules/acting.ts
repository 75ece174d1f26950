/** Does what a rule says: delays, breaks the connection, responds, or leaves it to the route. */
import { STATUS_CODES } from 'node:http'
import type { CoreFailure, RuleFailure, RuleOutcome } from '../../../contract/plugin.ts'
import type { RuleStep } from '../../../contract/testing.ts'
import { isOutputError } from '../../../contract/budgets.ts'
import { encodeAs } from './encoding.ts'
import { drawShare, drawUuid } from '../../../rules/draw.ts'
import { injectedFaultBody, type ConnectionFault } from '../../../rules/fault-headers.ts'
import type { RuleEntry } from '../../../rules/rule-entry.ts'
import type { Action, PluginStep, Step } from '../../../rules/step.ts'
import type { RequestContext } from '../../request/context.ts'
import type { BodyServices } from '../../request/decoded-body.ts'
import { breakConnection } from '../../response/connection-faults.ts'
import { sendOutputError } from '../../response/output-error.ts'
import { sendRuleResponse } from '../../response/rule-response.ts'
import { sendError, sendErrorInForm } from '../../response/send.ts'
import type { RuleServices } from '../stage.ts'
import { waitFor } from '../../request/delay.ts'
import { afterBody, sendDeclaredFault } from '../stages/faults.ts'
import { scenarioScope, type TakenRule } from './taking.ts'
import type { LookUp } from '../../../toolkit/references.ts'
import { createLookUp } from '../../../toolkit/request-references.ts'
import { referencedRequest } from '../../../match/conditions.ts'

/** Records the rule, counts the hit, and lets its notifications wait for the response. */
export function mark(taken: TakenRule, context: RequestContext, rules: RuleServices): void {
  const { entry, step } = taken
  context.rule = entry.rule.name
  if (step.notify.length > 0) context.notified = rules.notifier.notify(taken, context, lookUpFor(taken, context))
  if (step.isQuiet) {
    // Anybody can store a rule there, and must not hide from the log of the operator.
    context.isQuiet = !rules.config.publicMode
    context.isCaptured = false
    context.copy = null
    context.isHidden = true
  }
  const action = actionName(step)
  if (action !== null) rules.countHit(action)
}

function actionName({ action, delay, also, notify }: Step): string | null {
  if (action.kind === 'step') return action.step.name
  if (action.kind !== 'pass') return action.kind
  if (also.length > 0) return also[0]!.name
  return delay !== null ? 'delay' : notify.length > 0 ? 'notify' : null
}

/** The delay of this hit, at most the instance's limit. */
export function delayOf({ entry, step, hit }: TakenRule, maxDelayMs: number): number {
  if (step.delay === null) return 0
  const share = drawShare('delay', entry.rule.seed, entry.rule.name, hit)
  return Math.min(Math.round(step.delay.at(share)), maxDelayMs)
}

/** Does what the rule says; what it leaves to the route is the result. */
export async function perform(
  taken: TakenRule,
  context: RequestContext,
  rules: RuleServices,
  { isInRoute = false } = {},
): Promise<RuleOutcome> {
  const { entry, step } = taken
  const { config } = rules
  mark(taken, context, rules)
  const source = sourceOf(entry)
  if (step.encoding !== null && !context.hasOwnEncoding) await encodeAs(context, step.encoding, source, 'rule')
  const delayMs = delayOf(taken, config.maxDelayMs)
  if (delayMs > 0) {
    context.injects('delay', source, 'rule')
    if (!(await waitFor(context, delayMs))) return ANSWERED
  }
  const outcome = await act(taken, context, rules, isInRoute)
  if (step.also.length === 0) return outcome
  context.ruleSteps = stepsFor(taken, context, step.also)
  return { ...outcome, also: context.ruleSteps }
}

async function act(
  taken: TakenRule,
  context: RequestContext,
  rules: RuleServices,
  isInRoute: boolean,
): Promise<RuleOutcome> {
  const { entry, step } = taken
  const source = sourceOf(entry)
  const { action } = step
  switch (action.kind) {
    case 'abort':
      await afterKnownBody(context, rules, () => {
        context.injects('abort', source, 'rule')
        breakConnection(context, action.fault, 100, entry.rule.seed)
      })
      return ANSWERED
    case 'respond':
      await afterKnownBody(context, rules, () =>
        sendWithinBudget(context, () =>
          sendRuleResponse(context, action.respond, {
            lookUp: lookUpFor(taken, context),
            output: rules.budgets.output(context.request),
            states: () => rules.book.scenarios.states(scenarioScope(taken)),
          }),
        ),
      )
      return ANSWERED
    case 'fail':
      if (isInRoute) return { kind: 'fail', rule: entry.rule.name, ...failOf(action) }
      await afterKnownBody(context, rules, () => {
        const { faults } = context.generation.rules.vocabulary
        const fault = faults.find(context.route?.plugin ?? null, action.word)
        if (fault !== null) return sendDeclaredFault(context, fault, source, 'rule', action)
        context.injects('fail', source, 'rule')
        sendFailure(taken, action, context)
      })
      return ANSWERED
    case 'reply':
      return {
        kind: 'reply',
        rule: entry.rule.name,
        reply: action.reply,
        hit: taken.hit,
        lookUp: lookUpFor(taken, context),
      }
    case 'step': {
      const { act: call } = action.step
      const [called] = stepsFor(taken, context, [action.step])
      if (call === undefined) return { kind: 'step', ...called! }
      context.stepCall = (request, reply) => call(request, reply, called!)
      return { kind: 'pass', rule: entry.rule.name }
    }
    default:
      return { kind: 'pass', rule: entry.rule.name }
  }
}

/** What a rule leaves to the route of a request within another one; `abort` as well. */
export function outcomeOf(
  taken: TakenRule,
  context: RequestContext,
): Exclude<RuleOutcome, { kind: 'answered' }> | Abort {
  const { entry, step, hit } = taken
  const { action } = step
  const rule = entry.rule.name
  const also = step.also.length === 0 ? {} : { also: stepsFor(taken, context, step.also) }
  switch (action.kind) {
    case 'abort':
      return { kind: 'abort', rule, abort: action.fault }
    case 'fail':
      return { kind: 'fail', rule, ...failOf(action), ...also }
    case 'reply':
      return { kind: 'reply', rule, reply: action.reply, hit, lookUp: lookUpFor(taken, context), ...also }
    case 'step':
      return { kind: 'step', ...stepsFor(taken, context, [action.step])[0]!, ...also }
    default:
      return { kind: 'pass', rule, ...also }
  }
}

interface Abort {
  kind: 'abort'
  rule: string
  abort: ConnectionFault
}

function stepsFor(taken: TakenRule, context: RequestContext, steps: readonly PluginStep[]): RuleStep[] {
  const lookUp = lookUpFor(taken, context)
  const { name: rule, seed } = taken.entry.rule
  const draw = (what: string): number => drawShare(what, seed, rule, taken.hit)
  return steps.map(({ name, value }) => ({ name, value, rule, hit: taken.hit, lookUp, draw }))
}

export const ANSWERED: RuleOutcome = { kind: 'answered' }

/** What the inspector shows as the source of the fault. */
export function sourceOf({ rule }: RuleEntry): string {
  return `rule ${rule.name}`
}

/** A body with a known end is read before the response, because the inspector shows it. */
export async function afterKnownBody(context: RequestContext, services: BodyServices, act: () => void): Promise<void> {
  if (context.isRouted) act()
  else await afterBody(context, services, act)
}

/** A response that is too large is the fault of what defines it, not of the request. */
export function sendWithinBudget(context: RequestContext, send: () => void): void {
  try {
    send()
  } catch (error) {
    if (!isOutputError(error)) throw error
    if (error.code === 'SVC_OUTPUT_UNAVAILABLE') return sendOutputError(context, error)
    const body = { error: 'template_too_large', limit: error.limit, details: error.message }
    sendError(context, { status: 500, kind: 'refused', body })
  }
}

type Fail = Extract<Action, { kind: 'fail' }>

function failOf({ kind: _kind, ...failure }: Fail): RuleFailure {
  return failure
}

/** The message of an injected failure. */
export function messageOf({ status, message }: Fail, { rule }: RuleEntry): string {
  return message ?? `injected fault: ${status} ${STATUS_CODES[status] ?? 'Error'}, by rule ${rule.name}`
}

/** Sends the failure in the format of the protocol whose plugin serves the route, else of the route. */
function sendFailure({ entry, subject }: TakenRule, action: Fail, context: RequestContext): void {
  const message = messageOf(action, entry)
  const failure: Omit<CoreFailure, 'requestId'> = {
    status: action.status,
    kind: 'injected',
    body: {
      ...injectedFaultBody(action.status, Math.round(entry.rule.sample * 100), 'rule'),
      rule: entry.rule.name,
      ...(action.message === null ? {} : { message }),
    },
  }
  const headers = action.retryAfterSecs === null ? {} : { 'Retry-After': String(action.retryAfterSecs) }
  const plugin = context.route?.plugin ?? null
  for (const protocol of context.generation.rules.protocols.ofPlugin(plugin)) {
    const rendered = protocol.failure?.({ ...failure, requestId: context.requestId, message }, subject) ?? null
    if (rendered === null) continue
    sendErrorInForm(context, failure, () => rendered, headers)
    return
  }
  sendError(context, failure, headers)
}

/** Looks up references for one hit of a rule. */
function lookUpFor({ entry, hit, subject }: TakenRule, context: RequestContext): LookUp {
  const { name, seed } = entry.rule
  const own = subject.facts.session
  const session = own ?? ''
  let uuids = 0
  let draws = 0
  return createLookUp({
    request: referencedRequest(subject, () => entry.match.captures(subject)),
    session: own ?? context.session.label,
    count: hit + 1,
    now: () => new Date(),
    uuid: () => drawUuid('uuid', seed, name, session, hit, uuids++),
    draw: () => drawShare('random', seed, name, session, hit, draws++),
  })
}
