/** The stage that sends the response for which a request asks by `X-Svc-Answer`, or by headers of another project. */
import type { RequestContext } from '../../request/context.ts'
import { answerOf } from '../rules/answering.ts'
import type { PipelineServices } from '../stage.ts'

/** Routes with `ownFail` inject `X-Svc-Fail` themselves, which comes first: there the response is sent after it. */
export function answerAsAsked(context: RequestContext, { rules }: PipelineServices): boolean | Promise<boolean> {
  const { headers } = context.request
  if (context.description?.ownFail === true && headers['x-svc-fail'] !== undefined) return true
  const answer = answerOf(context, rules)
  return answer === null || answer.then(isSent => !isSent)
}
