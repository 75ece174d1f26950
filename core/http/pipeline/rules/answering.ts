/** Sends the response that a request asks for by `X-Svc-Answer`: in its stage, or where a route applies rules itself. */
import { randomUUID } from 'node:crypto'
import { referencedRequest } from '../../../match/conditions.ts'
import { readAnswer, type Answer } from '../../../rules/answer-header.ts'
import { createLookUp } from '../../../toolkit/request-references.ts'
import { readOrProblem, type Problem } from '../../../toolkit/input-problem.ts'
import type { RequestAlias } from '../../../contract/aliases.ts'
import type { ExpectationFailure, JsonObject } from '../../../contract/plugin.ts'
import type { RequestContext } from '../../request/context.ts'
import { waitFor } from '../../request/delay.ts'
import { firstHeader } from '../../request/header.ts'
import { sendRuleResponse } from '../../response/rule-response.ts'
import { sendRendered, sendResponse } from '../../response/send.ts'
import type { RuleServices } from '../stage.ts'
import { afterKnownBody, sendWithinBudget } from './acting.ts'
import { encodeAs } from './encoding.ts'
import { isExempt, subjectOf } from './subject.ts'
import { isEndless, isOwnPage, receive } from './taking.ts'

/**
 * Null if the request does not ask, or may not: below `/_svc`, on paths exempt from faults, and on pages of the instance, where the
 * answer would have the rights of their origin. Otherwise whether a response was sent, or the client has disconnected: headers of an
 * alias may ask for none.
 */
export function answerOf(context: RequestContext, rules: RuleServices): Promise<boolean> | null {
  const { headers } = context.request
  const alias = context.generation.aliases.find(headers)
  const isAsked = headers['x-svc-answer'] !== undefined
  if ((!isAsked && alias === null) || isExempt(context) || isOwnPage(context)) return null
  return isAsked ? sendAnswer(context, rules) : sendAliased(alias!, context, rules)
}

/**
 * The same for a route that applies rules itself, where the request also has `X-Svc-Fail`; without that header the stage has
 * sent the response.
 */
export function answerInRoute(context: RequestContext, rules: RuleServices): Promise<boolean> | null {
  return context.request.headers['x-svc-fail'] === undefined ? null : answerOf(context, rules)
}

async function sendAliased(alias: RequestAlias, context: RequestContext, rules: RuleServices): Promise<boolean> {
  if (context.upgrade === null && !isEndless(context) && !(await receive(context, rules))) return true
  const read = readOrProblem(() => alias.answer(context.request))
  if ('value' in read && read.value === null) return false
  const failure = 'problem' in read ? invalid(read.problem) : await answerAs(read.value!, context, rules)
  if (failure !== null && !context.closed) sendRendered(context, alias.refuse(context.request, failure))
  return true
}

async function sendAnswer(context: RequestContext, rules: RuleServices): Promise<true> {
  const failure = await answerAs(firstHeader(context.request, 'x-svc-answer') ?? '', context, rules)
  if (failure !== null) sendResponse(context, failure)
  return true
}

/** Sends the response of the header, or of an object in its form. The result is the 400 if that is not valid. */
export async function answerAs(
  value: string | JsonObject,
  context: RequestContext,
  rules: RuleServices,
): Promise<ExpectationFailure | null> {
  const read = readAnswer(value, rules.book.bounds, { isHandshake: context.upgrade !== null })
  if ('problem' in read) return invalid(read.problem)
  const answer = read.value
  context.answer = 'applied'
  if (answer.encoding !== null && !context.hasOwnEncoding)
    await encodeAs(context, answer.encoding, 'X-Svc-Answer', 'header')
  if (answer.delayMs > 0 && !(await waitFor(context, answer.delayMs))) return null
  if (answer.respond.needsBody && context.upgrade === null && !isEndless(context)) {
    if (!(await receive(context, rules))) return null
  }
  await afterKnownBody(context, rules, () => sendWithinBudget(context, () => send(context, rules, answer)))
  return null
}

function invalid({ at, details }: Problem): ExpectationFailure {
  return { status: 400, body: { error: 'invalid_answer', at, details } }
}

function send(context: RequestContext, rules: RuleServices, { respond }: Answer): void {
  const subject = subjectOf(context, rules)
  const lookUp = createLookUp({
    request: referencedRequest(subject, () => new Map()),
    session: context.session.label,
    count: 1,
    now: () => new Date(),
    uuid: () => randomUUID(),
    draw: () => Math.random(),
  })
  sendRuleResponse(context, respond, {
    lookUp,
    output: rules.budgets.output(context.request),
    states: () => rules.book.scenarios.states(subject.facts.session),
  })
}
