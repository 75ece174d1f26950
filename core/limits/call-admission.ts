/** Admission of calls that do not come through the pipeline (gRPC), by the same counters. */
import type { CallAdmission, SvcLimits } from '../host/plugin.ts'
import { sessionKey } from '../sessions.ts'
import type { Limits } from './limits.ts'
import type { Rejection } from './plan-rejection.ts'

/** gRPC status codes. */
const RESOURCE_EXHAUSTED = 8

/** What a rejected call hears in its trailing metadata. */
const METADATA = ['Retry-After', 'X-Svc-Limit', 'X-Svc-Plan']

export function createCallAdmission({ limits }: { limits: Limits }): SvcLimits {
  return {
    async admitCall({ session, peer }) {
      const { limiter } = limits
      if (limiter === null) return { admitted: true }
      const admission = limiter.admitCall(sessionKey(session ?? undefined, peer))
      return 'dimension' in admission ? toStatus(limits.reject(admission), RESOURCE_EXHAUSTED) : { admitted: true }
    },
  }
}

function toStatus({ headers, body }: Rejection, grpcStatus: number): CallAdmission {
  const metadata: Record<string, string> = {}
  for (const name of METADATA) if (headers[name] !== undefined) metadata[name.toLowerCase()] = headers[name]
  return { admitted: false, grpcStatus, message: body.message, metadata }
}
