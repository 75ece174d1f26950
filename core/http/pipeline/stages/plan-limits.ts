/** The stage that applies the plan limits, also when a response turns out to be a stream. */
import type { Limits } from '../../../limits/limits.ts'
import type { Admission, AdmissionOptions } from '../../../limits/plan-limiter.ts'
import type { AdminGuard } from '../../access/admin-guard.ts'
import { sendResponse } from '../../response/send.ts'
import type { RequestContext } from '../../request/context.ts'
import { isBelow } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'
import { adoptEventStream } from '../../streams/raw-stream.ts'
import type { StreamPlan } from '../../streams/stream-plan.ts'

/** Admits the request or sends the 429. What the request holds is released when the response ends. */
export function limitByPlan(context: RequestContext, services: PipelineServices): boolean {
  const { limits } = services
  const { limiter } = limits
  if (limiter === null || context.lease !== null || isExemptFromPlan(context)) return true
  const admission = limiter.admit(context.session, admissionOptions(context, services))
  if (!('lease' in admission)) {
    sendResponse(context, limits.reject(admission))
    return false
  }
  holdAdmission(context, services, admission)
  return true
}

/** What matters to the plan. */
export function admissionOptions(context: RequestContext, { guard }: PipelineServices): AdmissionOptions {
  return { isStream: isKnownStream(context), isBypassed: isBypassed(context, guard) }
}

/** The plan has admitted the request. */
export function holdAdmission(
  context: RequestContext,
  { limits, streams }: PipelineServices,
  { lease, remaining }: Admission,
): void {
  context.lease = lease
  context.gate = stream => takeSlot(stream, limits)
  context.whenHead(() => {
    if (context.isEventStream && !context.isInRegistry && limits.streamLifetimeMs !== null)
      adoptEventStream(context, streams, limits.streamLifetimeMs)
  })
  context.response.setHeader('X-Svc-Plan', limits.plan)
  if (remaining !== null) context.response.setHeader('X-Svc-Quota-Remaining', remaining)
}

const EXEMPT_READS = new Set(['/_svc/usage', '/_svc/status', '/_svc/ready', '/_svc/metrics'])

export function isExemptFromPlan({ path, routedPath, method, generation }: RequestContext): boolean {
  if (path === null) return false
  if (generation.exemptions.has('limits', routedPath)) return true
  return (method === 'GET' || method === 'HEAD') && EXEMPT_READS.has(path)
}

/** A handshake, or a route that always responds with an event stream. */
function isKnownStream({ upgrade, description }: RequestContext): boolean {
  return upgrade !== null || description?.protocol === 'sse'
}

/** Operators are never locked out of the control plane. */
function isBypassed(context: RequestContext, guard: AdminGuard): boolean {
  if (context.path === null || !isBelow(context.path, '/_svc')) return false
  return context.hasControlCredential || guard.isAdminToken(context.request.headers)
}

/** Called by `svc.streams` before the first byte of an event stream. */
export function createStreamPlan(limits: Limits): StreamPlan {
  return {
    lifetimeMs: limits.streamLifetimeMs,
    admit(context) {
      if (context.lease === null || context.lease.becomeStream()) return true
      rejectStream(context, limits)
      return false
    },
  }
}

/** The last check before the response headers are sent: an event stream that was not announced needs a slot too. */
function takeSlot(context: RequestContext, limits: Limits): boolean {
  if (!context.isEventStream) {
    context.lease!.notAStream()
    return true
  }
  if (context.lease!.becomeStream()) return true
  rejectStream(context, limits)
  return false
}

/** Headers that every response has; the others belonged to the response that is not sent. */
const KEPT_HEADERS = new Set(['x-request-id', 'access-control-allow-origin', 'access-control-expose-headers', 'vary'])

/** The response of the route is dropped: its work is canceled, and the request is not counted and not captured. */
function rejectStream(context: RequestContext, limits: Limits): void {
  const { response } = context
  context.isRefused = true
  context.gate = null
  context.lease!.giveBack({ withToken: false })
  context.keyAdmission?.giveBack()
  for (const name of response.getHeaderNames()) if (!KEPT_HEADERS.has(name)) response.removeHeader(name)
  sendResponse(context, limits.reject(limits.limiter!.refuse('streams')))
  response.isDetached = true
  context.abort('limit')
}
