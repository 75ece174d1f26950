/** The stage that compares a request with what its header `X-Svc-Expect` says about it. */
import { whenRead } from '../../../match/pending-facts.ts'
import { isTooExpensive } from '../../../contract/budgets.ts'
import type { RequestAlias } from '../../../contract/aliases.ts'
import type { ExpectationFailure, JsonObject, RuleMessage } from '../../../contract/plugin.ts'
import type { Match } from '../../../match/match.ts'
import type { MatchSubject } from '../../../match/subject.ts'
import { maskedDifferences, readExpectation } from '../../../rules/expectation.ts'
import { readOrProblem, type Problem } from '../../../toolkit/input-problem.ts'
import type { RequestContext } from '../../request/context.ts'
import { firstHeader } from '../../request/header.ts'
import { sendRendered, sendResponse } from '../../response/send.ts'
import type { PipelineServices, RuleServices } from '../stage.ts'
import { receive, TOO_EXPENSIVE } from '../rules/taking.ts'
import { isExempt, subjectOf, subjectOfMessage } from '../rules/subject.ts'

/**
 * Continues if the expectation is met, or the path is exempt from faults and therefore from expectations. Otherwise the response is 417 with the differences, and nothing else of the
 * request happens: no fault, no rule, no check of credentials. Aliases of the header come after it, and have their own responses.
 */
export function checkExpectation(context: RequestContext, { rules }: PipelineServices): boolean | Promise<boolean> {
  const { headers } = context.request
  const alias = context.generation.aliases.find(headers)
  if ((headers['x-svc-expect'] === undefined && alias === null) || isExempt(context)) return true
  return check(context, rules, alias)
}

async function check(context: RequestContext, rules: RuleServices, alias: RequestAlias | null): Promise<boolean> {
  const failure = await expectationFailure(context, rules, context.upgrade === null)
  if (context.closed || context.response.headersSent) return false
  if (failure !== null) {
    sendResponse(context, failure)
    return false
  }
  if (alias === null) return true
  const ofAlias = await aliasFailure(alias, context, rules)
  if (context.closed || context.response.headersSent) return false
  if (ofAlias !== null) sendRendered(context, alias.refuse(context.request, ofAlias))
  return ofAlias === null
}

/** Null if the headers of an alias state no conditions, if these hold, or if the client has disconnected. */
async function aliasFailure(
  alias: RequestAlias,
  context: RequestContext,
  rules: RuleServices,
): Promise<ExpectationFailure | null> {
  const read = readOrProblem(() => alias.expect(context.request))
  if ('problem' in read) return invalid(read.problem)
  if (read.value === null) return null
  const compared = { subject: subjectOf(context, rules), canReadBody: context.upgrade === null }
  return failureOf(read.value, context, rules, compared)
}

/** Null if the request has no expectation, if it is met, or if the client has disconnected. */
export async function expectationFailure(
  context: RequestContext,
  rules: RuleServices,
  canHaveBody: boolean,
): Promise<ExpectationFailure | null> {
  const text = firstHeader(context.request, 'x-svc-expect')
  if (text === undefined) return null
  return failureOf(text, context, rules, { subject: subjectOf(context, rules), canReadBody: canHaveBody })
}

/** The same for conditions that a route has found in a request, whose body has been read, or in a message within it. */
export function expectationFailureOf(
  given: string | JsonObject,
  context: RequestContext,
  rules: RuleServices,
  message: RuleMessage | null,
): Promise<ExpectationFailure | null> {
  const subject = message === null ? subjectOf(context, rules) : subjectOfMessage(context, rules, message)
  return failureOf(given, context, rules, { subject, canReadBody: false })
}

interface Compared {
  subject: MatchSubject
  /** The body is read if a condition needs it; otherwise it was read before, or there is none. */
  canReadBody: boolean
}

async function failureOf(
  given: string | JsonObject,
  context: RequestContext,
  rules: RuleServices,
  compared: Compared,
): Promise<ExpectationFailure | null> {
  try {
    return await evaluate(given, context, rules, compared)
  } catch (error) {
    if (!isTooExpensive(error)) throw error
    context.ignore('X-Svc-Expect', TOO_EXPENSIVE)
    context.expectation = 'failed'
    const difference = {
      at: '',
      expected: `conditions that take at most ${rules.budgets.steps} steps`,
      got: TOO_EXPENSIVE,
    }
    return failed(context, { matched: 0, of: 1, differences: [difference] })
  }
}

async function evaluate(
  given: string | JsonObject,
  context: RequestContext,
  rules: RuleServices,
  { subject, canReadBody }: Compared,
): Promise<ExpectationFailure | null> {
  await rules.budgets.turn()
  // Reading the conditions is paid from the same budget: it compiles their patterns.
  const read = readExpectation(given, {
    protocols: context.generation.rules.protocols,
    maxTests: rules.book.bounds.tests,
    checks: subject.steps,
  })
  if ('problem' in read) return invalid(read.problem)
  const match = read.value
  if (match.needsBody && canReadBody && !(await receive(context, rules))) return null
  await rules.budgets.turn()
  const explained = await whenRead(() => match.explain(subject))
  context.expectation = explained.differences.length === 0 ? 'met' : 'failed'
  return explained.differences.length === 0 ? null : failed(context, explained)
}

function invalid({ at, details }: Problem): ExpectationFailure {
  return { status: 400, body: { error: 'invalid_expectation', at, details } }
}

function failed(
  { requestId }: RequestContext,
  { matched, of, differences }: ReturnType<Match['explain']>,
): ExpectationFailure {
  const body = {
    error: 'expectation_failed',
    request_id: requestId,
    matched,
    of,
    differences: maskedDifferences(differences),
  }
  return { status: 417, body }
}
