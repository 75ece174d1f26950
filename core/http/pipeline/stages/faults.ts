/** The stage that applies `X-Svc-Delay`, `X-Svc-Abort` and `X-Svc-Fail`. */
import {
  EXPECTED,
  expectedFail,
  injectedFaultBody,
  isDelay,
  parseAbort,
  parseDelay,
  parseFail,
  parseFailWord,
  rollPercent,
} from '../../../rules/fault-headers.ts'
import { declaredBody, type FaultDetails, type NamedFault } from '../../../rules/declared-faults.ts'
import type { FaultOrigin } from '../../../contract/plugin.ts'
import { sendError } from '../../response/send.ts'
import { announcedLength } from '../../request/body.ts'
import type { BodyServices } from '../../request/decoded-body.ts'
import { readContent } from '../read-body.ts'
import { breakConnection } from '../../response/connection-faults.ts'
import type { RequestContext } from '../../request/context.ts'
import { waitFor } from '../../request/delay.ts'
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
  if (context.generation.exemptions.has('faults', context.routedPath)) return true
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
  const { faults } = context.generation.rules.vocabulary
  const plugin = context.route?.plugin ?? null
  const words = faults.words(plugin)
  const fail = parseFailWord(header, words) ?? parseFail(header)
  if (header !== undefined && fail === null) context.ignore('X-Svc-Fail', expectedFail(words))
  if (fail === null || !rollPercent(fail.percent)) return true
  return afterBody(context, services, () => {
    const source = `X-Svc-Fail: ${header!.trim()}`
    if ('word' in fail) return sendDeclaredFault(context, faults.find(plugin, fail.word)!, source, 'header')
    context.injects('fail', source, 'header')
    sendError(context, {
      status: fail.status,
      kind: 'injected',
      body: injectedFaultBody(fail.status, fail.percent),
    })
  })
}

/** Sends a failure that the plugin of the route declares, in the format of the route. */
export function sendDeclaredFault(
  context: RequestContext,
  fault: NamedFault,
  source: string,
  origin: FaultOrigin,
  { retryAfterSecs = null, ...details }: FaultDetails & { retryAfterSecs?: number | null } = {},
): void {
  context.injects(fault.word, source, origin)
  const headers = { ...fault.headers, ...(retryAfterSecs === null ? {} : { 'Retry-After': String(retryAfterSecs) }) }
  sendError(context, { status: fault.status, kind: 'injected', body: declaredBody(fault, details) }, headers)
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
