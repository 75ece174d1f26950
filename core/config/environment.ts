/** Reads the variables of the core into a `Config`, following the table of variables. */
import type { Config } from './config.ts'
import { setAt } from './dotted-path.ts'
import { readVariable } from './read-variable.ts'
import { variables, type Variable } from './variables.ts'

/** The effective configuration, and one warning for each value that was not used as given. */
export interface Environment {
  config: Config
  /** By variable, in the order of the table. */
  warnings: ReadonlyMap<string, readonly string[]>
  /** Values that are valid one by one, and together do not do what they seem to. */
  contradictions: readonly string[]
}

/**
 * Reads the variables of the core. An invalid value never throws: it gives a warning and the default applies. Warnings
 * never contain a secret.
 */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const warnings = new Map<string, readonly string[]>()
  const valid = new Set<string>()
  const draft: Record<string, unknown> = {}
  // Complete only after the last row; the default of a row may read rows above it.
  const config = draft as unknown as Config
  for (const variable of variables) {
    const read = readVariable(variable, env, () => defaultOf(variable, config) as never)
    if (read.isValid) valid.add(variable.name)
    setAt(draft, variable.field, read.value)
    warnings.set(variable.name, read.warnings)
  }
  const found = contradictions(config, valid)
  derive(config, valid)
  return { config, warnings, contradictions: found }
}

function defaultOf(variable: Variable, config: Config): unknown {
  return typeof variable.default === 'function' ? variable.default(config) : variable.default
}

/** Values that are valid one by one, and together do not do what they seem to. */
function contradictions(config: Config, valid: Set<string>): string[] {
  const rules: [boolean, string][] = [
    [
      config.controlAuth === 'token' && config.adminToken === null,
      'SVC_CONTROL_AUTH is token and SVC_ADMIN_TOKEN is not set: every request to the control plane is rejected',
    ],
    [
      config.controlAuth === 'jwt' && config.adminToken === null && config.controlJwtPublicKey === null,
      'SVC_CONTROL_AUTH is jwt and neither SVC_CONTROL_JWT_PUBLIC_KEY nor SVC_ADMIN_TOKEN is set: every request to the control plane is rejected',
    ],
    [
      config.shared.requireKey && !config.shared.enabled,
      'SVC_REQUIRE_KEY turns shared mode on although SVC_SHARED_MODE is not set',
    ],
    [
      config.usageFile !== null && config.plan.limits.scope === 'session',
      'SVC_USAGE_FILE has no effect while limits are counted per session',
    ],
    [
      valid.has('SVC_LIMIT_BURST') && config.plan.limits.rps === null,
      'SVC_LIMIT_BURST has no effect without SVC_LIMIT_RPS',
    ],
  ]
  return rules.filter(([applies]) => applies).map(([, warning]) => warning)
}

/** Sets the fields that depend on several variables. */
function derive(config: Config, valid: Set<string>): void {
  config.portsSet = {
    http: valid.has('SVC_HTTP_PORT'),
    https: valid.has('SVC_HTTPS_PORT'),
    grpc: valid.has('SVC_GRPC_PORT'),
  }
  config.maxDelayMs = config.publicMode ? 10_000 : 30_000
  config.isCorsAnyByUser = valid.has('SVC_CORS_ORIGINS') && config.corsOrigins.includes('*')
  config.shared.enabled ||= config.shared.requireKey

  const hasOverride = variables.some(({ name }) => name.startsWith('SVC_LIMIT_') && valid.has(name))
  if (hasOverride && config.plan.name === 'none') config.plan.name = 'custom'
  config.plan.active = config.plan.name !== 'none'
  const limits = config.plan.limits
  limits.burst = limits.rps === null ? null : (limits.burst ?? limits.rps)
}
