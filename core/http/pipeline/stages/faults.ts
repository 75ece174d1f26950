/** The stage that applies `X-Svc-Delay`, `X-Svc-Abort` and `X-Svc-Fail`. */
import {
  EXPECTED,
  injectedFaultBody,
  isDelay,
  parseAbort,
  parseDelay,
  parseFail,
  rollPercent,
} from '../../../rules/fault-headers.ts'
import { sendError } from '../../response/send.ts'
import { announcedLength } from '../../request/body.ts'
import { breakConnection } from '../../response/connection-faults.ts'
import type { RequestContext } from '../../request/context.ts'
import { readContent } from '../../request/decoded-body.ts'
import type { BodyServices } from '../../request/decoded-body.ts'
import { firstHeader } from '../../request/header.ts'
import { isBelow } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'

/**
 * The order is delay, abort, fail; after an abort that applies, fail is not evaluated. The control plane is exempt, and
 * so are paths that plugins exempt.
 */
export function injectFaults(context: RequestContext, { config, rules }: PipelineServices): boolean | Promise<boolean> {
  const { headers } = context.request
  if (
    headers['x-svc-delay'] === undefined &&
    headers['x-svc-abort'] === undefined &&
    headers['x-svc-fail'] === undefined
  )
    return true
  if (context.path !== null && isBelow(context.path, '/_svc')) return true
  if (context.generation.exemptions.has('faults', context.path)) return true
  const delay = firstHeader(context.request, 'x-svc-delay')
  if (delay !== undefined && !isDelay(delay)) context.ignore('X-Svc-Delay', EXPECTED.delay)
  const delayMs = parseDelay(delay, config.maxDelayMs)
  if (delayMs === 0) return injectAbort(context, rules)
  context.injects('delay', `X-Svc-Delay: ${delayMs}`, 'header')
  return waitFor(context, delayMs).then(isThere => isThere && injectAbort(context, rules))
}

function injectAbort(context: RequestContext, services: BodyServices): boolean | Promise<boolean> {
  const header = firstHeader(context.request, 'x-svc-abort')
  const abort = parseAbort(header)
  if (header !== undefined && abort === null) context.ignore('X-Svc-Abort', EXPECTED.abort)
  if (abort === null || !rollPercent(abort.percent)) return injectFail(context, services)
  return afterBody(context, services, () => {
    context.injects('abort', `X-Svc-Abort: ${header!.trim()}`, 'header')
    breakConnection(context, abort.fault, abort.percent)
  })
}

function injectFail(context: RequestContext, services: BodyServices): boolean | Promise<boolean> {
  if (context.description?.ownFail) return true
  const header = firstHeader(context.request, 'x-svc-fail')
  const fail = parseFail(header)
  if (header !== undefined && fail === null) context.ignore('X-Svc-Fail', EXPECTED.fail)
  if (fail === null || !rollPercent(fail.percent)) return true
  return afterBody(context, services, () => {
    context.injects('fail', `X-Svc-Fail: ${header!.trim()}`, 'header')
    sendError(context, {
      status: fail.status,
      kind: 'injected',
      body: injectedFaultBody(fail.status, fail.percent),
    })
  })
}

/** A body with a known end is still read, because the inspector shows it. An endless body is not waited for. */
export function afterBody(context: RequestContext, services: BodyServices, act: () => void): false | Promise<false> {
  const isEndless = context.isBodyRead || announcedLength(context) === null || context.expectsContinue
  const isRead = isEndless || readContent(context, services)
  if (isRead !== true) {
    return isRead.then(isThere => {
      if (isThere) act()
      return false
    })
  }
  act()
  return false
}

/** Returns false if the client disconnected, or another response was sent, before the time elapsed. */
export function waitFor(context: RequestContext, ms: number): Promise<boolean> {
  if (context.closed) return Promise.resolve(false)
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(!context.closed && !context.response.isDetached), ms)
    context.whenClosed(() => {
      clearTimeout(timer)
      resolve(false)
    })
  })
}
