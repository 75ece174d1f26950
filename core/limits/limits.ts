/** Plan limits of the instance. Inactive: nothing is limited, counted or decorated. */
import type { Config } from '../config/variables.ts'
import type { SvcLimits } from '../host/plugin.ts'
import type { StreamPlan } from '../http/svc-streams.ts'

export interface Limits extends SvcLimits {
  readonly streams: StreamPlan
  /** Headers that browsers may read while limits are active. */
  readonly exposedHeaders: string[]
}

export function createLimits(_config: Config): Limits {
  return {
    streams: { admit: () => true, lifetimeMs: null },
    exposedHeaders: [],
    admitCall: async () => ({ admitted: true }),
  }
}
