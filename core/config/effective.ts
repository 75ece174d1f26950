/** The body of `GET /_svc/config`: the effective configuration without secrets. */
import type { Config } from './config.ts'
import { getAt, setAt } from './dotted-path.ts'
import { variables, type Variable } from './variables.ts'

/** What the view shows beside the environment. */
export interface EffectiveState {
  /** Absolute path of the configuration file in use. */
  configFile: string | null
  generation: number
  warnings: string[]
}

/** Every value that the table shows, in its order, and what is not a variable. Made anew at each call. */
export function effectiveView(config: Config, state: EffectiveState): Record<string, unknown> {
  const view = show(config, variables)
  view.limits = limitsView(config)
  view.config_file = state.configFile
  view.max_delay_ms = config.maxDelayMs
  view.generation = state.generation
  view.warnings = [...state.warnings]
  return view
}

/** The limits as `GET /_svc/usage` and `GET /_svc/config` show them; what is off is null. */
export interface LimitsView {
  active: boolean
  scope: 'instance' | 'session'
  period: 'day' | 'month'
  rps: number | null
  burst: number | null
  concurrency: number | null
  streams: number | null
  stream_lifetime_secs: number | null
  requests: number | null
  egress_bytes: number | null
  usage_file_configured: boolean
}

/** The object `limits` of the view alone. */
export function limitsView(config: Config): LimitsView {
  const view = show(config, variables.filter((variable) => variable.shown?.startsWith('limits.')))
  return { active: config.plan.active, ...(view.limits as Omit<LimitsView, 'active'>) }
}

function show(config: Config, shown: readonly Variable[]): Record<string, unknown> {
  const view: Record<string, unknown> = {}
  for (const variable of shown) {
    if (variable.shown !== null) setAt(view, variable.shown, shownValue(config, variable))
  }
  return view
}

function shownValue(config: Config, variable: Variable): unknown {
  if (variable.show !== undefined) return variable.show(config)
  const value = getAt(config, variable.field)
  if (variable.shown!.endsWith('_configured')) return value !== null
  return Array.isArray(value) ? [...value] : value
}
