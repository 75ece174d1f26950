/** What the plan's limits say to a request that becomes a stream. */
import type { RequestContext } from '../request/context.ts'

/** What the plan says to a request that becomes a stream. */
export interface StreamPlan {
  /** Takes a stream slot, or answers the 429 and says false. */
  admit(context: RequestContext): boolean
  /** Milliseconds a stream may live; null: as long as it likes. */
  readonly lifetimeMs: number | null
}
