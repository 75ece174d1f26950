/** The stage that applies the limits of the plan and of the key to all replicas together, in one step. */
import { sendResponse } from '../../response/send.ts'
import type { RequestContext } from '../../request/context.ts'
import type { PipelineServices } from '../stage.ts'
import { applyKey } from './api-key.ts'
import { admissionOptions, holdAdmission, isExemptFromPlan } from './plan-limits.ts'
import type { QuotaClaim, QuotaOutcome } from '../../../limits/quota-claims.ts'

interface Claims {
  plan: QuotaClaim | null
  key: QuotaClaim | null
}

/** Without a state store, or while it is unavailable or full, the next stages apply the limits of this replica. */
export function limitTogether(context: RequestContext, services: PipelineServices): boolean | Promise<boolean> {
  const { quota, limits, keys } = services
  if (quota === null || !quota.isUp) return true
  const account =
    limits.limiter === null || isExemptFromPlan(context) ? null : limits.limiter.accountOf(context.session)
  const claims: Claims = {
    plan: account?.claim(admissionOptions(context, services)) ?? null,
    key: context.apiKey === null || keys === null ? null : keys.claim(context.apiKey),
  }
  const asked = [claims.plan, claims.key].filter(claim => claim !== null)
  if (asked.length === 0) return true
  return quota.admit(asked).then(outcome => outcome === null || decide(context, services, claims, outcome))
}

function decide(
  context: RequestContext,
  services: PipelineServices,
  { plan, key }: Claims,
  outcome: QuotaOutcome,
): boolean | Promise<boolean> {
  const { limits, keys } = services
  const ofKey = outcome.states.at(-1)!
  if (!outcome.isAdmitted) {
    const isOfPlan = plan !== null && outcome.failed === 0
    sendResponse(
      context,
      isOfPlan
        ? limits.reject(limits.limiter!.refuse(outcome.dimension))
        : keys!.reject(context.apiKey!, outcome.dimension, ofKey),
    )
    return false
  }
  if (plan !== null) {
    const admission = limits.limiter!.adopt(context.session, outcome.states[0]!, admissionOptions(context, services))
    // The client has disconnected in the meantime, so nothing else would release what the request holds.
    if (context.closed) admission.lease.release()
    else holdAdmission(context, services, admission)
  }
  if (context.closed) return false
  if (key === null) return true
  const admission = keys!.adopt(context.apiKey!, ofKey)
  return admission instanceof Promise ? admission.then(later => applyKey(context, later)) : applyKey(context, admission)
}
