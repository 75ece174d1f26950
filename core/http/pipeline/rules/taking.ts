/** Finds the rule that acts on a request: the first one whose conditions hold, and whose turn it is. */
import { PendingFacts } from '../../../match/pending-facts.ts'
import { isTooExpensive } from '../../../contract/budgets.ts'
import type { ProtocolFacts, RuleMessage } from '../../../contract/plugin.ts'
import type { MatchSubject } from '../../../match/subject.ts'
import { nextStep } from '../../../rules/counting.ts'
import type { RuleEntry } from '../../../rules/rule-entry.ts'
import { stateOf, type ScenarioStates } from '../../../rules/scenarios.ts'
import type { PluginStep, Step } from '../../../rules/step.ts'
import { announcedLength } from '../../request/body.ts'
import type { BodyServices } from '../../request/decoded-body.ts'
import type { RequestContext } from '../../request/context.ts'
import { requestFactsOf } from '../../response/send.ts'
import { readContent } from '../read-body.ts'
import type { RuleServices } from '../stage.ts'

/** What `X-Svc-Ignored` says of a rule whose conditions take more steps than one evaluation has. */
export const TOO_EXPENSIVE = 'too_expensive'
/** What it says of a rule that would set more scenarios than there can be. */
const TOO_MANY_SCENARIOS = 'too_many_scenarios'
/** Rules that `X-Svc-Ignored` names. */
const MAX_IGNORED = 5
/** How often the rules are evaluated again because another request has changed a scenario meanwhile. */
const MAX_ATTEMPTS = 5

/** A rule that acts on a request. */
export interface TakenRule {
  entry: RuleEntry
  step: Step
  /** From 0. */
  hit: number
  subject: MatchSubject
}

export interface TakeOptions {
  /** Whether `reply` steps can act. */
  replies: boolean
  /** A gRPC call, whose body is never read. */
  isCall?: boolean
  facts?: ProtocolFacts | undefined
  /** Steps of plugins that the route applies. Default: those of `facts`. */
  steps?: readonly string[]
  /** The subject is a request within the one of the context, with a body of its own. */
  message?: Pick<RuleMessage, 'canAbort'>
  /** The protocol of the request within another one, if rules about such requests alone act on it. Default: null. */
  messages?: string | null
}

/**
 * The first rule that acts on the request; null if none does, or if the request has ended. A rule that another request has
 * overtaken, by changing a scenario that the rule tests, does not act: all are evaluated again.
 */
export async function takeAmong(
  candidates: readonly RuleEntry[],
  context: RequestContext,
  subject: MatchSubject,
  rules: RuleServices,
  options: TakeOptions,
): Promise<TakenRule | null> {
  const taking = new Taking(context, subject, rules, options)
  const turn = rules.budgets.turn()
  if (turn !== null) await turn
  for (let attempt = 1; ; attempt++) {
    const taken = await taking.among(candidates)
    if (taken !== 'overtaken') return taken
    if (attempt === MAX_ATTEMPTS) return null
  }
}

class Taking {
  readonly #context: RequestContext
  readonly #subject: MatchSubject
  readonly #rules: RuleServices
  readonly #options: TakeOptions
  readonly #isMessage: boolean
  readonly #canHaveBody: boolean
  #unread: ProtocolFacts | undefined
  #ignored = 0

  constructor(context: RequestContext, subject: MatchSubject, rules: RuleServices, options: TakeOptions) {
    const { isCall = false, message, facts } = options
    this.#context = context
    this.#subject = subject
    this.#rules = rules
    this.#options = options
    this.#isMessage = message !== undefined
    this.#canHaveBody = this.#isMessage || (!isCall && context.upgrade === null && !isEndless(context))
    this.#unread = facts
  }

  async among(candidates: readonly RuleEntry[]): Promise<TakenRule | 'overtaken' | null> {
    const context = this.#context
    const { book } = this.#rules
    const { messages = null } = this.#options
    const { session } = this.#subject.facts
    for (const entry of candidates) {
      if (!book.isInForce(entry) || entry.match.messages !== messages) continue
      const meetsHead = this.#isMetWhenRead(entry, () => entry.match.headHolds(this.#subject))
      // Awaited only if there is something to wait for: rules are many.
      if (!(typeof meetsHead === 'boolean' ? meetsHead : await meetsHead)) continue
      if (entry.match.needsBody) {
        if (!this.#canHaveBody) continue
        if (!(await this.#receive(entry))) return null
        if (!(await this.#isMetWhenRead(entry, () => entry.match.holds(this.#subject)))) continue
      }
      if (!canAct(entry, context, this.#options)) continue
      if (this.#options.facts !== undefined && !(await takesReplies(entry, this.#options.facts))) continue
      if (entry.match.scenarios.length > 0) {
        const states = await book.scenarios.states(this.#scopeOf(entry))
        if (!this.#isMet(entry, () => this.#meets(entry, states))) continue
      }
      const hit = await book.count(entry, session)
      if (hit === null) continue
      const step = permitted(entry.rule.steps[nextStep(entry.rule, hit)!]!, entry, context)
      if (!(await this.#changeScenarios(entry, step))) {
        await book.uncount(entry, session)
        return 'overtaken'
      }
      if (needsBody(step) && this.#canHaveBody && !(await receive(context, this.#rules))) return null
      return context.closed && !this.#isMessage ? null : { entry, step, hit, subject: this.#subject }
    }
    return null
  }

  /** All rules share the budget: once it is used up, only rules without conditions that cost anything can act. */
  #isMet(entry: RuleEntry, evaluate: () => boolean): boolean {
    try {
      return evaluate()
    } catch (error) {
      if (!isTooExpensive(error)) throw error
      if (this.#ignored++ < MAX_IGNORED) this.#context.ignore(entry.rule.name, TOO_EXPENSIVE)
      return false
    }
  }

  /** A promise only if the conditions wait for facts: most requests need none. */
  #isMetWhenRead(entry: RuleEntry, evaluate: () => boolean): boolean | Promise<boolean> {
    try {
      return this.#isMet(entry, evaluate)
    } catch (error) {
      if (!(error instanceof PendingFacts)) throw error
      return error.read.then(() => this.#isMetWhenRead(entry, evaluate))
    }
  }

  /** Reads the body, and what the route knows of it; false if it was rejected or the client disconnected. */
  async #receive({ match }: RuleEntry): Promise<boolean> {
    if (!this.#isMessage && !(await receive(this.#context, this.#rules))) return false
    const unread = this.#unread
    if (unread !== undefined && match.protocols.includes(unread.protocol)) {
      this.#subject.setProtocol(unread.protocol, await unread.read())
      this.#unread = undefined
    }
    await this.#rules.budgets.turn()
    return true
  }

  #scopeOf(entry: RuleEntry): string | null {
    return scenarioScope({ entry, subject: this.#subject })
  }

  #meets({ match }: RuleEntry, states: ScenarioStates): boolean {
    return match.scenarios.every(({ name, test }) => test.holds([stateOf(states, name)], this.#subject.steps))
  }

  /** Returns false if the conditions on scenarios do not hold any more. */
  async #changeScenarios(entry: RuleEntry, { scenario }: Step): Promise<boolean> {
    if (Object.keys(scenario).length === 0) return true
    const outcome = await this.#rules.book.scenarios.change(this.#scopeOf(entry), scenario, states =>
      this.#isMet(entry, () => this.#meets(entry, states)),
    )
    if (outcome === 'full') this.#context.ignore(entry.rule.name, TOO_MANY_SCENARIOS)
    return outcome !== 'lost'
  }
}

/** Scenarios belong to the scope that has the rule's counters; null: the instance. */
export function scenarioScope({ entry, subject }: Pick<TakenRule, 'entry' | 'subject'>): string | null {
  return entry.rule.countsPerSession ? subject.facts.session : null
}

function needsBody({ action, also, notify }: Step): boolean {
  if (notify.some(notification => notification.needsBody)) return true
  return action.kind === 'step' || also.length > 0 || (action.kind === 'respond' && action.respond.needsBody)
}

/** A body that the route reads as it arrives, and whose end is unknown: reading it first could wait forever. */
export function isEndless(context: RequestContext): boolean {
  return context.description?.streamsBody === true && !context.isBodyRead && announcedLength(context) === null
}

/** Reads the body once; false if it was rejected or the client disconnected. */
export async function receive(context: RequestContext, services: BodyServices): Promise<boolean> {
  if (context.isBodyRead || context.isRouted) return true
  const isThere = await readContent(context, services)
  context.isBodyRead = true
  return isThere
}

/**
 * Whether the request can have what the rule does: replies and steps of plugins are for some routes, handshakes need a refusal, and
 * a message has no response of its own.
 */
function canAct({ rule }: RuleEntry, { upgrade }: RequestContext, options: TakeOptions): boolean {
  const { replies, isCall = false, message, facts, steps = facts?.steps ?? [] } = options
  const isAsked = ({ name }: PluginStep): boolean => steps.includes(name)
  return rule.steps.every(({ action, also }) => {
    if (!also.every(isAsked)) return false
    switch (action.kind) {
      case 'reply':
        return replies
      case 'respond':
        return message === undefined && (upgrade === null || action.respond.status >= 400)
      case 'abort':
        return message === undefined || message.canAbort
      case 'step':
        return action.step.act === undefined
          ? isAsked(action.step)
          : message === undefined && upgrade === null && !isCall
      default:
        return true
    }
  })
}

/** On the pages of the instance, rules of strangers do not answer: the script of one would run with the origin's rights. */
function permitted(step: Step, { source }: RuleEntry, context: RequestContext): Step {
  const { action } = step
  const answers = action.kind === 'respond' || (action.kind === 'step' && action.step.act !== undefined)
  if (source !== 'api' || !answers || !isOwnPage(context)) return step
  return { ...step, action: { kind: 'pass' } }
}

/** Whether the route serves a page of the instance, or a file of one. */
export function isOwnPage(context: RequestContext): boolean {
  const declared = context.description?.ownPage ?? false
  return typeof declared === 'function' ? declared(requestFactsOf(context)) : declared
}

/** Whether all replies of a rule fit the request. */
async function takesReplies({ rule }: RuleEntry, facts: ProtocolFacts): Promise<boolean> {
  for (const { action } of rule.steps)
    if (action.kind === 'reply' && !(await facts.takesReply(action.reply))) return false
  return true
}
