/** A request as conditions see it, and which requests have none. */
import { isBelow } from '../../../fields/request-target.ts'
import type { RuleMessage } from '../../../contract/plugin.ts'
import { MatchSubject, type SubjectFacts } from '../../../match/subject.ts'
import type { RequestContext } from '../../request/context.ts'
import { contentOf } from '../../request/decoded-body.ts'
import type { RuleServices } from '../stage.ts'

/** The control plane, and paths of plugins that are exempt from faults. */
export function isExempt({ path, routedPath, generation }: RequestContext): boolean {
  return (path !== null && isBelow(path, '/_svc')) || generation.exemptions.has('faults', routedPath)
}

/** The request, with the budget of one evaluation. */
export function subjectOf(context: RequestContext, { budgets }: RuleServices): MatchSubject {
  return new MatchSubject(new RequestFacts(context), budgets.evaluation())
}

/** A request within another one: what it does not have itself is that of the outer request. */
export function subjectOfMessage(
  context: RequestContext,
  { budgets }: RuleServices,
  message: RuleMessage,
): MatchSubject {
  const {
    method,
    url,
    body,
    rawHeaders = context.request.rawHeaders,
    session = context.session.header,
    clientIp = context.clientIp,
    scheme = context.scheme,
  } = message
  const facts = { method, url, body, rawHeaders, session, clientIp, scheme }
  return new MatchSubject(facts, budgets.evaluation())
}

/** The body is read when a condition asks for it. */
class RequestFacts implements SubjectFacts {
  readonly method: string
  readonly url: string
  readonly served?: string
  readonly rawHeaders: readonly string[]
  readonly session: string | null
  readonly clientIp: string
  readonly scheme: 'http' | 'https'
  readonly #context: RequestContext

  constructor(context: RequestContext) {
    this.method = context.method
    this.url = context.url
    if (context.routeTarget !== context.url) this.served = context.routeTarget
    this.rawHeaders = context.request.rawHeaders
    this.session = context.session.header
    this.clientIp = context.clientIp
    this.scheme = context.scheme
    this.#context = context
  }

  get body(): Buffer {
    return contentOf(this.#context)
  }
}
