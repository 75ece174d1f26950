/** The values of references in what a rule sends: data of the request, and of the rule. */
import type { LookUp } from '../../../toolkit/references.ts'
import { createLookUp } from '../../../toolkit/request-references.ts'
import { referencedRequest } from '../../../match/conditions.ts'
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
    request: referencedRequest(subject, () => entry.match.captures(subject)),
    session: context.session.label,
    count: hit + 1,
    now: () => new Date(),
    uuid: () => drawUuid('uuid', seed, name, session, hit, uuids++),
    draw: () => drawShare('random', seed, name, session, hit, draws++),
  })
}
