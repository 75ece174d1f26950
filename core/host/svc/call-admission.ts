/** Admission of calls outside the pipeline, such as gRPC: checks the API key, the plan, then the limits of the key. */
import type { SessionKey } from '../../contract/plugin.ts'
import type { CallAdmission, SvcMediaTypes } from '../../contract/calls.ts'
import { findKey, type KeyRecord } from '../../keys/api-key.ts'
import type { KeyAdmission } from '../../keys/key-limits.ts'
import type { Keys } from '../../keys/keys.ts'
import { sessionKey } from '../../sessions.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Rejection } from '../../limits/plan-rejection.ts'
import type { SharedQuota } from '../../limits/shared-quota.ts'

/** gRPC status codes by the HTTP status of the rejection. */
const GRPC_STATUS = new Map([
  [401, 16 /* UNAUTHENTICATED */],
  [429, 8 /* RESOURCE_EXHAUSTED */],
  [503, 14 /* UNAVAILABLE */],
])

/** Headers that a rejected call gets as trailing metadata. */
const METADATA = ['Retry-After', 'X-Svc-Limit', 'X-Svc-Plan']

export interface CallAdmissionOptions {
  limits: Limits
  keys: Keys | null
  /** Null without a state store. */
  quota: SharedQuota | null
}

export function createCallAdmission({ limits, keys, quota }: CallAdmissionOptions): Pick<SvcMediaTypes, 'admitCall'> {
  const { limiter } = limits
  return {
    async admitCall({ session, peer, key }) {
      const identity = keys?.identify(findKey(key ?? undefined, '')) ?? null
      if (identity !== null && 'rejection' in identity) return toStatus(identity.rejection)
      const caller = sessionKey(session ?? undefined, peer)
      const shared = await admitTogether(caller, identity?.record ?? null)
      if (shared !== null) return shared
      const call = limiter?.admitCall(caller)
      if (call !== undefined && 'dimension' in call) return toStatus(limits.reject(call))
      if (identity === null) return { admitted: true }
      return conclude(await keys!.admit(identity.record), call)
    },
  }

  /** Null if the state store counts nothing of this call, or is unavailable. */
  async function admitTogether(session: SessionKey, record: KeyRecord | null): Promise<CallAdmission | null> {
    if (quota === null || !quota.isUp) return null
    const plan = limiter?.accountOf(session)?.callClaim() ?? null
    const key = record === null ? null : keys!.claim(record)
    const claims = [plan, key].filter(claim => claim !== null)
    const outcome = claims.length === 0 ? null : await quota.admit(claims)
    if (outcome === null) return null
    const ofKey = outcome.states.at(-1)!
    if (!outcome.isAdmitted)
      return toStatus(
        claims[outcome.failed] === plan
          ? limits.reject(limiter!.refuse(outcome.dimension))
          : keys!.reject(record!, outcome.dimension, ofKey),
      )
    const call = plan === null ? undefined : limiter!.adoptCall(session, outcome.states[0]!)
    if (record === null) return { admitted: true }
    return conclude(await (key === null ? keys!.admit(record) : keys!.adopt(record, ofKey)), call)
  }

  function conclude(outcome: KeyAdmission | Rejection, call: { giveBack(): void } | undefined): CallAdmission {
    if (!('status' in outcome)) return { admitted: true }
    call?.giveBack()
    return toStatus(outcome)
  }
}

function toStatus({ status, headers, body }: Rejection): CallAdmission {
  const metadata: Record<string, string> = {}
  for (const name of METADATA) if (headers[name] !== undefined) metadata[name.toLowerCase()] = headers[name]
  return { admitted: false, grpcStatus: GRPC_STATUS.get(status)!, message: body.message, metadata }
}
