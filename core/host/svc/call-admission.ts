/** Admission of calls outside the pipeline, such as gRPC: checks the API key, the plan, then the limits of the key. */
import type { CallAdmission, SvcLimits } from '../../contract/plugin.ts'
import { findKey } from '../../keys/api-key.ts'
import type { Keys } from '../../keys/keys.ts'
import { sessionKey } from '../../sessions.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Rejection } from '../../limits/plan-rejection.ts'

/** gRPC status codes by the HTTP status of the rejection. */
const GRPC_STATUS = new Map([
  [401, 16 /* UNAUTHENTICATED */],
  [429, 8 /* RESOURCE_EXHAUSTED */],
  [503, 14 /* UNAVAILABLE */],
])

/** Headers that a rejected call gets as trailing metadata. */
const METADATA = ['Retry-After', 'X-Svc-Limit', 'X-Svc-Plan']

export function createCallAdmission({ limits, keys }: { limits: Limits; keys: Keys | null }): SvcLimits {
  return {
    async admitCall({ session, peer, key }) {
      const identity = keys?.identify(findKey(key ?? undefined, '')) ?? null
      if (identity !== null && 'rejection' in identity) return toStatus(identity.rejection)
      const call = limits.limiter?.admitCall(sessionKey(session ?? undefined, peer))
      if (call !== undefined && 'dimension' in call) return toStatus(limits.reject(call))
      if (identity === null) return { admitted: true }
      const outcome = await keys!.admit(identity.record)
      if (!('status' in outcome)) return { admitted: true }
      call?.giveBack()
      return toStatus(outcome)
    },
  }
}

function toStatus({ status, headers, body }: Rejection): CallAdmission {
  const metadata: Record<string, string> = {}
  for (const name of METADATA) if (headers[name] !== undefined) metadata[name.toLowerCase()] = headers[name]
  return { admitted: false, grpcStatus: GRPC_STATUS.get(status)!, message: body.message, metadata }
}
