/** The body of `GET /_svc/config`: the effective configuration without secrets. */
import { basename } from 'node:path'
import type { Config } from './config.ts'
import { getAt, setAt } from './dotted-path.ts'
import { maskUrls } from './shown-options.ts'
import type { PluginVariables } from './plugin-variables.ts'
import { orderVariables, type Definitions } from './variable-order.ts'
import { variables, type Variable } from './variables.ts'

/** What the view shows in addition to the environment. */
export interface EffectiveState {
  /** Absolute path of the configuration file in use. */
  configFile: string | null
  generation: number
  warnings: readonly string[]
}

/**
 * All values that the core or one of these plugins shows, in order, plus the fields that are not variables. Built again
 * on every call.
 */
export function effectiveView(
  config: Config,
  state: EffectiveState,
  plugins: PluginVariables,
  definitions: Definitions,
): Record<string, unknown> {
  const view: Record<string, unknown> = {}
  for (const placed of orderVariables(definitions)) {
    if (placed.plugin === null) show(view, placed.definition, config)
    else if (placed.definition.shownAs !== undefined)
      setAt(
        view,
        placed.definition.shownAs,
        presented(placed.definition.shownAs, plugins.valuesOf(definitions.get(placed.plugin)!)[placed.key]),
      )
  }
  view.limits = limitsView(config)
  view.config_file = shownFile(state.configFile, config)
  view.max_delay_ms = config.maxDelayMs
  view.generation = state.generation
  view.warnings = state.warnings.map(maskUrls)
  return view
}

/** The path of a file for responses: in public mode only its base name. */
export function shownFile(file: string | null, { publicMode }: Pick<Config, 'publicMode'>): string | null {
  return publicMode ? file && basename(file) : file
}

/** The limits as shown by `GET /_svc/usage` and `GET /_svc/config`; a limit that is off is null. */
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

/** Only the `limits` object of the view. */
export function limitsView(config: Config): LimitsView {
  const view: Record<string, unknown> = {}
  for (const variable of variables) if (variable.shownAs?.startsWith('limits.')) show(view, variable, config)
  return { active: config.plan.active, ...(view.limits as Omit<LimitsView, 'active'>) }
}

function show(view: Record<string, unknown>, variable: Variable, config: Config): void {
  const { shownAs } = variable
  if (shownAs !== null)
    setAt(
      view,
      shownAs,
      variable.show === undefined ? presented(shownAs, getAt(config, variable.field)) : variable.show(config),
    )
}

function presented(shownAs: string, value: unknown): unknown {
  if (shownAs.endsWith('_configured')) return value !== null
  if (typeof value === 'string') return maskUrls(value)
  return Array.isArray(value) ? value.map(item => (typeof item === 'string' ? maskUrls(item) : item)) : value
}
