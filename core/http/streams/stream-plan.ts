/** The plan limits of a request that becomes a stream. */
import type { RequestContext } from '../request/context.ts'

/** The plan limits of a request that becomes a stream. */
export interface StreamPlan {
  /** Takes a stream slot; if none is free, sends the 429 and returns false. */
  admit(context: RequestContext): boolean
  /** Maximum lifetime in milliseconds; null means unlimited. */
  readonly lifetimeMs: number | null
}
