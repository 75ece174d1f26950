/** Sends the response that a request asks for by `X-Svc-Answer`: in its stage, or where a route applies rules itself. */
import { randomUUID } from 'node:crypto'
import { referencedRequest } from '../../../match/conditions.ts'
import { readAnswer, type Answer } from '../../../rules/answer-header.ts'
import { createLookUp } from '../../../toolkit/request-references.ts'
import type { RequestContext } from '../../request/context.ts'
import { waitFor } from '../../request/delay.ts'
import { firstHeader } from '../../request/header.ts'
import { sendRuleResponse } from '../../response/rule-response.ts'
import { sendResponse } from '../../response/send.ts'
import type { RuleServices } from '../stage.ts'
import { afterKnownBody, sendWithinBudget } from './acting.ts'
import { isExempt, subjectOf } from './subject.ts'
import { isEndless, isOwnPage, receive } from './taking.ts'

/**
 * Null if the request does not ask, or may not: below `/_svc`, on paths exempt from faults, and on pages of the instance, where the
 * answer would have the rights of their origin.
 */
export function answerOf(context: RequestContext, rules: RuleServices): Promise<void> | null {
  if (context.request.headers['x-svc-answer'] === undefined || isExempt(context) || isOwnPage(context)) return null
  return sendAnswer(context, rules)
}

/**
 * The same for a route that applies rules itself, where the request also has `X-Svc-Fail`; without that header the stage has
 * sent the response.
 */
export function answerInRoute(context: RequestContext, rules: RuleServices): Promise<void> | null {
  return context.request.headers['x-svc-fail'] === undefined ? null : answerOf(context, rules)
}

async function sendAnswer(context: RequestContext, rules: RuleServices): Promise<void> {
  const text = firstHeader(context.request, 'x-svc-answer') ?? ''
  const read = readAnswer(text, rules.book.bounds, { isHandshake: context.upgrade !== null })
  if ('problem' in read) {
    const { at, details } = read.problem
    return sendResponse(context, { status: 400, body: { error: 'invalid_answer', at, details } })
  }
  const answer = read.value
  context.answer = 'applied'
  if (answer.delayMs > 0 && !(await waitFor(context, answer.delayMs))) return
  if (answer.respond.needsBody && context.upgrade === null && !isEndless(context)) {
    if (!(await receive(context, rules))) return
  }
  await afterKnownBody(context, rules, () => sendWithinBudget(context, () => send(context, rules, answer)))
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
  sendRuleResponse(context, respond, { lookUp, output: rules.budgets.output(context.request) })
}
