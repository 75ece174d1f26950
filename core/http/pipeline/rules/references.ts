/** The values of references in what a rule sends: data of the request, and of the rule. */
import type { LookUp } from '../../../contract/references.ts'
import { createLookUp, type ReferencedRequest } from '../../../contract/request-references.ts'
import type { Match } from '../../../match/match.ts'
import type { MatchSubject } from '../../../match/subject.ts'
import { drawShare, drawUuid } from '../../../rules/draw.ts'
import type { RequestContext } from '../../request/context.ts'
import type { TakenRule } from './taking.ts'

/** Looks up references for one hit of a rule. */
export function lookUpFor({ entry, hit, subject }: TakenRule, context: RequestContext): LookUp {
  const { name, seed } = entry.rule
  const session = context.session.header ?? ''
  let uuids = 0
  let draws = 0
  return createLookUp({
    request: referencedRequest(subject, entry.match),
    session: context.session.label,
    count: hit + 1,
    now: () => new Date(),
    uuid: () => drawUuid('uuid', seed, name, session, hit, uuids++),
    draw: () => drawShare('random', seed, name, session, hit, draws++),
  })
}

function referencedRequest(subject: MatchSubject, match: Match): ReferencedRequest {
  return {
    method: subject.method,
    url: subject.url,
    get path() {
      return subject.path
    },
    get segments() {
      return subject.segments
    },
    get host() {
      return subject.host
    },
    scheme: subject.facts.scheme,
    clientIp: subject.facts.clientIp,
    captures: () => match.captures(subject),
    queryValues: name => subject.queryValues(name),
    header: name => subject.header(name),
    cookie: name => subject.cookie(name),
    json: () => subject.exactJson() ?? subject.formObject(),
    text: () => subject.text(),
  }
}
