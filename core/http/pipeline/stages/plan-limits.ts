/** The stage of the plan's limits, and what the plan says when an answer turns out to be a stream. */
import type { Limits } from '../../../limits/limits.ts'
import type { AdminGuard } from '../admin-guard.ts'
import { answer } from '../../response/send.ts'
import type { RequestContext } from '../../request/context.ts'
import { isBelow } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'
import { adoptEventStream } from '../../streams/raw-stream.ts'
import type { StreamPlan } from '../../streams/stream-plan.ts'

/** Admits the request, or answers the 429. What it takes is given back when the response is over. */
export function limitByPlan(context: RequestContext, { limits, guard, streams }: PipelineServices): boolean {
  const { limiter } = limits
  if (limiter === null || isExempt(context)) return true
  const admission = limiter.admit(context.session, {
    isStream: isKnownStream(context),
    isBypassed: isBypassed(context, guard),
  })
  if (!('lease' in admission)) {
    answer(context, limits.reject(admission))
    return false
  }
  const { lease, remaining } = admission
  context.lease = lease
  context.gate = stream => takeSlot(stream, limits)
  context.whenHead(() => {
    if (context.isEventStream && !context.isInRegistry && limits.streamLifetimeMs !== null)
      adoptEventStream(context, streams, limits.streamLifetimeMs)
  })
  context.response.setHeader('X-Svc-Plan', limits.plan)
  if (remaining !== null) context.response.setHeader('X-Svc-Quota-Remaining', remaining)
  return true
}

const EXEMPT_READS = new Set(['/_svc/usage', '/_svc/status', '/_svc/ready', '/_svc/metrics'])

function isExempt({ path, method, generation }: RequestContext): boolean {
  if (path === null) return false
  if (path === '/' || generation.exemptions.has('limits', path)) return true
  return (method === 'GET' || method === 'HEAD') && EXEMPT_READS.has(path)
}

/** A handshake, or a route that always answers with an event stream. */
function isKnownStream({ upgrade, description }: RequestContext): boolean {
  return upgrade !== null || description?.protocol === 'sse'
}

/** Whoever may run the instance is never locked out of its control plane. */
function isBypassed(context: RequestContext, guard: AdminGuard): boolean {
  if (context.path === null || !isBelow(context.path, '/_svc')) return false
  return context.hasControlCredential || guard.isAdminToken(context.request.headers)
}

/** What `svc.streams` asks before the first byte of an event stream. */
export function createStreamPlan(limits: Limits): StreamPlan {
  return {
    lifetimeMs: limits.streamLifetimeMs,
    admit(context) {
      if (context.lease === null || context.lease.becomeStream()) return true
      refuseStream(context, limits)
      return false
    },
  }
}

/** The last word before the head goes out: an event stream that nobody has announced needs its slot too. */
function takeSlot(context: RequestContext, limits: Limits): boolean {
  if (!context.isEventStream) {
    context.lease!.stayOrdinary()
    return true
  }
  if (context.lease!.becomeStream()) return true
  refuseStream(context, limits)
  return false
}

/** What every answer has; the rest belonged to the answer that is not sent. */
const KEPT_HEADERS = new Set(['x-request-id', 'access-control-allow-origin', 'access-control-expose-headers', 'vary'])

/** The route has worked in vain: its work is cancelled, the request does not count and is not captured. */
function refuseStream(context: RequestContext, limits: Limits): void {
  const { response } = context
  context.isRefused = true
  context.gate = null
  context.lease!.giveBack({ withToken: false })
  context.keyAdmission?.giveBack()
  for (const name of response.getHeaderNames()) if (!KEPT_HEADERS.has(name)) response.removeHeader(name)
  answer(context, limits.reject(limits.limiter!.refuse('streams')))
  response.isDetached = true
  context.abort('limit')
}
