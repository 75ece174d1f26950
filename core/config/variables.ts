/**
 * The environment variables of the core. Plugins declare their own (`variables` of a definition). Parsing, warnings,
 * `GET /_svc/config` and the reference in `docs/configuration.md` are generated from both. To add a variable to the
 * core, add a row to one of the lists below and a field to `Config`.
 */
import { CONTROL_PLANE, FILES, INSTANCE, MODES } from './variables/instance.ts'
import { BUDGETS, PLAN_LIMITER, SHARED_MODE } from './variables/limits.ts'
import { LISTENERS, REQUESTS } from './variables/listeners.ts'
import { PROCESSES } from './variables/processes.ts'
import type { Variable } from './variables/variable.ts'

export type { Config, ControlAuth, Field, LogFormat, ValueAt } from './config.ts'
export type { LogLevel } from './log-level.ts'
export type { LimitPeriod, LimitScope, PlanLimits, PlanName, PresetName } from './plans.ts'
export { planPresets } from './plans.ts'
export { registryKind } from './variables/limits.ts'
export type { Variable } from './variables/variable.ts'

/** In the order of the reference. The default of a row may depend on the rows above it. */
export const variables: readonly Variable[] = [
  ...MODES,
  ...LISTENERS,
  ...REQUESTS,
  ...INSTANCE,
  ...CONTROL_PLANE,
  ...FILES,
  ...BUDGETS,
  ...PLAN_LIMITER,
  ...SHARED_MODE,
  ...PROCESSES,
]
