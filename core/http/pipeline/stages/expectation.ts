/** The stage that compares a request with what its header `X-Svc-Expect` says about it. */
import { maskedDifferences, readExpectation } from '../../../rules/expectation.ts'
import { bodyLimitOf } from '../../request/body.ts'
import type { RequestContext } from '../../request/context.ts'
import { firstHeader } from '../../request/header.ts'
import { sendResponse } from '../../response/send.ts'
import type { PipelineServices, RuleServices } from '../stage.ts'
import { isExempt, receive, subjectOf } from './rules.ts'

/** What is wrong with a request, as the body of its response. */
export type ExpectationFailure = { status: 400 | 417; body: object }

/**
 * Continues if the expectation is met, or the path is exempt from faults and therefore from expectations. Otherwise the response is 417 with the differences, and nothing else of the
 * request happens: no fault, no rule, no check of credentials.
 */
export function checkExpectation(context: RequestContext, { rules }: PipelineServices): boolean | Promise<boolean> {
  if (context.request.headers['x-svc-expect'] === undefined || isExempt(context)) return true
  return check(context, rules)
}

async function check(context: RequestContext, rules: RuleServices): Promise<boolean> {
  const failure = await expectationFailure(context, rules, context.upgrade === null)
  if (context.closed || context.response.headersSent) return false
  if (failure === null) return true
  sendResponse(context, failure)
  return false
}

/** Null if the request has no expectation, if it is met, or if the client has disconnected. */
export async function expectationFailure(
  context: RequestContext,
  rules: RuleServices,
  canHaveBody: boolean,
): Promise<ExpectationFailure | null> {
  const text = firstHeader(context.request, 'x-svc-expect')
  if (text === undefined) return null
  const read = readExpectation(text, {
    protocols: context.generation.rules.protocols,
    maxTests: rules.book.bounds.tests,
  })
  if ('problem' in read) {
    const { at, details } = read.problem
    return { status: 400, body: { error: 'invalid_expectation', at, details } }
  }
  const match = read.value
  if (match.needsBody && canHaveBody && !(await receive(context, bodyLimitOf(context, rules.config.bodyLimit))))
    return null
  const { matched, of, differences } = match.explain(subjectOf(context))
  context.expectation = differences.length === 0 ? 'met' : 'failed'
  if (differences.length === 0) return null
  return {
    status: 417,
    body: {
      error: 'expectation_failed',
      request_id: context.requestId,
      matched,
      of,
      differences: maskedDifferences(differences),
    },
  }
}
