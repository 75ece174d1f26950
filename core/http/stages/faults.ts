/** The stage that acts on `X-Svc-Delay` and `X-Svc-Fail`. */
import { injectedFaultBody, parseDelay, parseFail, rollFail } from '../../faults.ts'
import { answerFailure } from '../answer.ts'
import { announcedLength, bodyLimitOf, readBody } from '../body.ts'
import type { RequestContext } from '../context.ts'
import { firstHeader } from '../header.ts'
import { isBelow } from '../path.ts'
import type { PipelineServices } from '../pipeline.ts'

/** Delay first, then fail; the control plane and the console are exempt. */
export function injectFaults(context: RequestContext, { config }: PipelineServices): boolean | Promise<boolean> {
  const { headers } = context.request
  if (headers['x-svc-delay'] === undefined && headers['x-svc-fail'] === undefined) return true
  if (context.path !== null && (isBelow(context.path, '/_svc') || isBelow(context.path, '/ui'))) return true
  const delayMs = parseDelay(firstHeader(context.request, 'x-svc-delay'), config.maxDelayMs)
  if (delayMs === 0) return injectFail(context, config.bodyLimit)
  context.fault = 'delay'
  return waitFor(context, delayMs).then(isThere => isThere && injectFail(context, config.bodyLimit))
}

function injectFail(context: RequestContext, bodyLimit: number): boolean | Promise<boolean> {
  if (context.description?.ownFail) return true
  const fail = parseFail(firstHeader(context.request, 'x-svc-fail'))
  if (fail === null || !rollFail(fail.percent)) return true
  context.fault = 'fail'
  const answerFail = (): false => {
    answerFailure(context, { status: fail.status, kind: 'injected', body: injectedFaultBody(fail.status, fail.percent) })
    return false
  }
  // A body whose end is in sight is read all the same: the inspector shows what was sent. An endless one is not waited for.
  if (announcedLength(context) === null || context.expectsContinue) return answerFail()
  const isRead = readBody(context, bodyLimitOf(context, bodyLimit))
  return isRead === true ? answerFail() : isRead.then(isThere => isThere && answerFail())
}

/** Answers false when the client has left, or another answer was sent, before the time was over. */
export function waitFor(context: RequestContext, ms: number): Promise<boolean> {
  if (context.closed) return Promise.resolve(false)
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(!context.closed && !context.response.isTakenOver), ms)
    context.onClose.push(() => {
      clearTimeout(timer)
      resolve(false)
    })
  })
}

