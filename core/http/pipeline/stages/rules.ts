/** The stage that applies rules: the first one whose conditions hold, and that acts on this request. */
import { STATUS_CODES } from 'node:http'
import type {
  CoreFailure,
  MessageRule,
  NearRule,
  ProtocolFacts,
  RuleFailure,
  RuleMessage,
  RuleOutcome,
} from '../../../contract/plugin.ts'
import { isTooExpensive } from '../../../contract/budgets.ts'
import type { Json } from '../../../contract/json.ts'
import { memberAt } from '../../../contract/references.ts'
import type { LookUp } from '../../../contract/references.ts'
import { isBelow } from '../../../fields/request-target.ts'
import { MatchSubject, type SubjectFacts } from '../../../match/subject.ts'
import { drawShare, drawUuid } from '../../../rules/draw.ts'
import { injectedFaultBody } from '../../../rules/fault-headers.ts'
import type { RuleEntry } from '../../../rules/rule-entry.ts'
import type { Action, Step } from '../../../rules/step.ts'
import { nextStep } from '../../../rules/counting.ts'
import { announcedLength } from '../../request/body.ts'
import type { RequestContext } from '../../request/context.ts'
import { contentOf, readContent } from '../../request/decoded-body.ts'
import type { BodyServices } from '../../request/decoded-body.ts'
import { breakConnection } from '../../response/connection-faults.ts'
import { withinBudget } from '../../response/output-error.ts'
import { sendRuleResponse } from '../../response/rule-response.ts'
import { requestFactsOf, sendError, sendErrorInForm } from '../../response/send.ts'
import type { PipelineServices, RuleActionName, RuleServices } from '../stage.ts'
import { afterBody, waitFor } from './faults.ts'

/** What `X-Svc-Ignored` says of a rule whose conditions take more steps than one evaluation has. */
export const TOO_EXPENSIVE = 'too_expensive'
/** Rules that `X-Svc-Ignored` names. */
const MAX_IGNORED = 5

/** A rule that acts on a request. */
export interface TakenRule {
  entry: RuleEntry
  step: Step
  /** From 0. */
  hit: number
  subject: MatchSubject
}

/** The control plane and exempt paths have no rules. Routes with `ownFail` apply rules themselves. */
export function applyRules(context: RequestContext, { rules }: PipelineServices): boolean | Promise<boolean> {
  const own = context.generation.rules
  if (!rules.book.hasRules(own)) return true
  if (!rules.book.mayFit(own, context.url, () => context.session.header)) return true
  if (context.description?.ownFail || isExempt(context)) return true
  const subject = subjectOf(context, rules)
  const candidates = rules.book.candidates(context.generation.rules, subject)
  if (candidates.length === 0) return true
  return takeAmong(candidates, context, subject, rules, { replies: false }).then(async taken => {
    if (taken === null) return !context.closed && !context.response.headersSent
    const outcome = await perform(taken, context, rules)
    return outcome.kind === 'pass'
  })
}

/** For routes that apply rules themselves, after they have checked credentials. */
export function applyRulesInRoute(
  context: RequestContext,
  rules: RuleServices,
  facts?: ProtocolFacts,
): Promise<RuleOutcome> | null {
  const own = context.generation.rules
  if (!rules.book.hasRules(own) || !rules.book.mayFit(own, context.url, () => context.session.header)) return null
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
  const own = context.generation.rules
  const { method, url, body, canAbort } = message
  if (!rules.book.hasRules(own) || !rules.book.mayFit(own, url, () => context.session.header)) return null
  const subject = new MatchSubject({ ...factsOf(context), method, url, body }, rules.budgets.evaluation())
  const candidates = rules.book.candidates(own, subject)
  if (candidates.length === 0) return null
  return takeAmong(candidates, context, subject, rules, { replies: true, facts, message: { canAbort } }).then(taken => {
    if (taken === null) return { ...PASS, delayMs: 0 }
    mark(taken, context, rules)
    return { ...outcomeOf(taken, context), delayMs: delayOf(taken, rules.config.maxDelayMs) }
  })
}

function outcomeOf(taken: TakenRule, context: RequestContext): Exclude<RuleOutcome, { kind: 'answered' }> | Abort {
  const { entry, step, hit } = taken
  const { action } = step
  const rule = entry.rule.name
  switch (action.kind) {
    case 'abort':
      return { kind: 'abort', rule }
    case 'fail':
      return { kind: 'fail', rule, ...failOf(action) }
    case 'reply':
      return { kind: 'reply', rule, reply: action.reply, hit, lookUp: lookUpFor(taken, context) }
    default:
      return { kind: 'pass', rule }
  }
}

interface Abort {
  kind: 'abort'
  rule: string
}

/** The rule with conditions of a protocol that a request nearly meets; null if there is none. */
export async function closestRuleInRoute(
  context: RequestContext,
  rules: RuleServices,
  facts: ProtocolFacts,
): Promise<NearRule | null> {
  const subject = subjectOf(context, rules)
  subject.setProtocol(facts.protocol, await facts.read())
  const session = context.session.header
  const scopes = session === null ? [null] : [session, null]
  let closest: NearRule | null = null
  try {
    for (const scope of scopes)
      for (const { match, rule } of rules.book.list(context.generation.rules, scope).entries) {
        if (!match.protocols.includes(facts.protocol)) continue
        const differences = match.explain(subject).differences.map(({ at }) => at)
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

/** The control plane, and paths of plugins that are exempt from faults. */
export function isExempt({ path, generation }: RequestContext): boolean {
  return (path !== null && isBelow(path, '/_svc')) || generation.exemptions.has('faults', path)
}

/** The request, with the budget of one evaluation. */
export function subjectOf(context: RequestContext, { budgets }: RuleServices): MatchSubject {
  const facts = {
    ...factsOf(context),
    get body() {
      return contentOf(context)
    },
  }
  return new MatchSubject(facts, budgets.evaluation())
}

function factsOf(context: RequestContext): Omit<SubjectFacts, 'body'> {
  return {
    method: context.method,
    url: context.url,
    rawHeaders: context.request.rawHeaders,
    session: context.session.header,
    clientIp: context.clientIp,
  }
}

interface TakeOptions {
  /** Whether `reply` steps can act. */
  replies: boolean
  /** A gRPC call, whose body is never read. */
  isCall?: boolean
  facts?: ProtocolFacts | undefined
  /** The subject is a request within the one of the context, with a body of its own. */
  message?: Pick<RuleMessage, 'canAbort'>
}

/** The first rule that acts on the request; null if none does, or if the request has ended. */
async function takeAmong(
  candidates: readonly RuleEntry[],
  context: RequestContext,
  subject: MatchSubject,
  rules: RuleServices,
  { replies, isCall = false, facts, message }: TakeOptions,
): Promise<TakenRule | null> {
  const isMessage = message !== undefined
  const canHaveBody = isMessage || (!isCall && context.upgrade === null && !isEndless(context))
  let unread = facts
  let ignored = 0
  // All rules share the budget: once it is used up, only rules without conditions that cost anything can act.
  const isMet = (entry: RuleEntry, evaluate: () => boolean): boolean => {
    try {
      return evaluate()
    } catch (error) {
      if (!isTooExpensive(error)) throw error
      if (ignored++ < MAX_IGNORED) context.ignore(entry.rule.name, TOO_EXPENSIVE)
      return false
    }
  }
  await rules.budgets.turn()
  for (const entry of candidates) {
    if (!rules.book.isInForce(entry) || !isMet(entry, () => entry.match.headHolds(subject))) continue
    if (entry.match.needsBody) {
      if (!canHaveBody) continue
      if (!isMessage && !(await receive(context, rules))) return null
      if (unread !== undefined && entry.match.protocols.includes(unread.protocol)) {
        subject.setProtocol(unread.protocol, await unread.read())
        unread = undefined
      }
      await rules.budgets.turn()
      if (!isMet(entry, () => entry.match.holds(subject))) continue
    }
    if (isMessage ? !canActOnMessage(entry, message) : !canAct(entry, context, replies)) continue
    if (facts !== undefined && !(await takesReplies(entry, facts))) continue
    const hit = await rules.book.count(entry, context.session.header)
    if (hit === null) continue
    const step = permitted(entry.rule.steps[nextStep(entry.rule, hit)!]!, entry, context)
    const { action } = step
    const isBodyUsed = action.kind === 'respond' && action.respond.needsBody && canHaveBody
    if (isBodyUsed && !(await receive(context, rules))) return null
    return context.closed && !isMessage ? null : { entry, step, hit, subject }
  }
  return null
}

/** A body that the route reads as it arrives, and whose end is unknown: reading it first could wait forever. */
function isEndless(context: RequestContext): boolean {
  return context.description?.streamsBody === true && !context.isBodyRead && announcedLength(context) === null
}

/** Reads and decodes the body once; false if it was rejected or the client disconnected. */
export async function receive(context: RequestContext, services: BodyServices): Promise<boolean> {
  if (context.isBodyRead || context.isRouted) return true
  const isThere = await readContent(context, services)
  context.isBodyRead = true
  return isThere
}

/** Whether the request can have what the rule does: replies are for some routes, and handshakes need a refusal. */
function canAct({ rule }: RuleEntry, { upgrade }: RequestContext, replies: boolean): boolean {
  return rule.steps.every(
    ({ action }) =>
      (replies || action.kind !== 'reply') &&
      (upgrade === null || action.kind !== 'respond' || action.respond.status >= 400),
  )
}

/** On the pages of the instance, rules of strangers do not answer: the script of one would run with the origin's rights. */
function permitted(step: Step, { source }: RuleEntry, context: RequestContext): Step {
  if (source !== 'api' || step.action.kind !== 'respond' || !isOwnPage(context)) return step
  return { ...step, action: { kind: 'pass' } }
}

function isOwnPage(context: RequestContext): boolean {
  const declared = context.description?.ownPage ?? false
  return typeof declared === 'function' ? declared(requestFactsOf(context)) : declared
}

/** A message has no response of its own. */
function canActOnMessage({ rule }: RuleEntry, { canAbort }: Pick<RuleMessage, 'canAbort'>): boolean {
  return rule.steps.every(({ action }) => action.kind !== 'respond' && (canAbort || action.kind !== 'abort'))
}

/** Whether all replies of a rule fit the request. */
async function takesReplies({ rule }: RuleEntry, facts: ProtocolFacts): Promise<boolean> {
  for (const { action } of rule.steps)
    if (action.kind === 'reply' && !(await facts.takesReply(action.reply))) return false
  return true
}

/** Records the rule, and counts the hit. */
function mark({ entry, step }: TakenRule, context: RequestContext, rules: RuleServices): void {
  context.rule = entry.rule.name
  if (step.isQuiet) {
    // Anybody can store a rule there, and must not hide from the log of the operator.
    context.isQuiet = !rules.config.publicMode
    context.isCaptured = false
  }
  const action = actionName(step)
  if (action !== null) rules.countHit(action)
}

function actionName({ action, delay }: Step): RuleActionName | null {
  if (action.kind !== 'pass') return action.kind
  return delay === null ? null : 'delay'
}

/** The delay of this hit, at most the instance's limit. */
export function delayOf({ entry, step, hit }: TakenRule, maxDelayMs: number): number {
  if (step.delay === null) return 0
  const share = drawShare('delay', entry.rule.seed, entry.rule.name, hit)
  return Math.min(Math.round(step.delay.at(share)), maxDelayMs)
}

async function perform(
  taken: TakenRule,
  context: RequestContext,
  rules: RuleServices,
  { isInRoute = false } = {},
): Promise<RuleOutcome> {
  const { entry, step } = taken
  const { config } = rules
  mark(taken, context, rules)
  const source = sourceOf(entry)
  const delayMs = delayOf(taken, config.maxDelayMs)
  if (delayMs > 0) {
    context.injects('delay', source, 'rule')
    if (!(await waitFor(context, delayMs))) return ANSWERED
  }
  const { action } = step
  switch (action.kind) {
    case 'abort':
      await afterKnownBody(context, rules, () => {
        context.injects('abort', source, 'rule')
        breakConnection(context, action.fault, 100)
      })
      return ANSWERED
    case 'respond':
      await afterKnownBody(context, rules, () =>
        withinBudget(context, () =>
          sendRuleResponse(context, action.respond, {
            lookUp: lookUpFor(taken, context),
            output: rules.budgets.output(context.request),
          }),
        ),
      )
      return ANSWERED
    case 'fail':
      if (isInRoute) return { kind: 'fail', rule: entry.rule.name, ...failOf(action) }
      await afterKnownBody(context, rules, () => {
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
    default:
      return { kind: 'pass', rule: entry.rule.name }
  }
}

const PASS: Extract<RuleOutcome, { kind: 'pass' }> = { kind: 'pass', rule: null }
const ANSWERED: RuleOutcome = { kind: 'answered' }

/** What the inspector shows as the source of the fault. */
export function sourceOf({ rule }: RuleEntry): string {
  return `rule ${rule.name}`
}

/** A body with a known end is read before the response, because the inspector shows it. */
async function afterKnownBody(context: RequestContext, services: BodyServices, act: () => void): Promise<void> {
  if (context.isRouted) act()
  else await afterBody(context, services, act)
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

/** The values of references in a response: data of the request, and of the rule. */
function lookUpFor({ entry, hit, subject }: TakenRule, context: RequestContext): LookUp {
  const session = context.session.header
  let uuids = 0
  return reference => {
    const [head = '', part = '', ...rest] = reference.split('.')
    switch (head) {
      case 'request':
        return requestValue(part, rest, subject, entry)
      case 'session':
        return context.session.label
      case 'count':
        return hit + 1
      case 'now':
        return new Date().toISOString()
      case 'uuid':
        return drawUuid('uuid', entry.rule.seed, entry.rule.name, session ?? '', hit, uuids++)
      default:
        return undefined
    }
  }
}

function requestValue(part: string, rest: string[], subject: MatchSubject, { match }: RuleEntry): Json | undefined {
  const name = rest.join('.')
  switch (part) {
    case 'method':
      return subject.method
    case 'path':
      return name === '' ? subject.path : match.captures(subject).get(name)
    case 'query':
      return subject.queryValues(name)[0]
    case 'header':
      return subject.header(name.toLowerCase())
    case 'body':
      return memberAt(subject.json(), rest)
    default:
      return undefined
  }
}
