/** Reads the environment into a `Config`, by the table of variables. */
import type { Config } from './config.ts'
import { setAt } from './dotted-path.ts'
import { nearest } from './nearest.ts'
import { quote } from './parsers.ts'
import { variables, type Variable } from './variables.ts'

/** The effective configuration, and one line for each value that was not taken as it stood. */
export interface Environment {
  config: Config
  warnings: string[]
}

/** Reads all variables. Invalid values never fail: a warning, and the default. Secrets stand in no warning. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const warnings: string[] = []
  const valid = new Set<string>()
  const draft: Record<string, unknown> = {}
  // Complete only after the last row; a row's fallback looks at rows above it.
  const config = draft as unknown as Config
  for (const variable of variables) {
    const found = findValue(variable, env)
    const parsed = found && variable.parser.parse(found.text)
    if (parsed !== undefined) {
      valid.add(variable.name)
      setAt(draft, variable.field, parsed.value)
      warnings.push(...(parsed.notes ?? []).map((note) => `${found!.name}: ${note}`))
      continue
    }
    const fallback = fallbackOf(variable, config)
    setAt(draft, variable.field, fallback)
    if (found) warnings.push(invalid(found.name, found.text, variable, fallback))
  }
  warnings.push(...unknownVariables(env), ...contradictions(config, valid))
  derive(config, valid)
  return { config, warnings }
}

/** The text of a variable, from its own name or its alias; undefined when both are unset. */
function findValue(variable: Variable, env: NodeJS.ProcessEnv): { name: string; text: string } | undefined {
  for (const name of [variable.name, variable.alias]) {
    const text = name === undefined ? undefined : env[name]?.trim()
    if (text !== undefined && (text !== '' || variable.emptyIsValue === true)) return { name: name!, text }
  }
  return undefined
}

function fallbackOf(variable: Variable, config: Config): unknown {
  return typeof variable.fallback === 'function' ? variable.fallback(config) : variable.fallback
}

function invalid(name: string, text: string, variable: Variable, fallback: unknown): string {
  const shown = variable.secret === true ? '' : ` ${quote(text)}`
  const used = fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? 'none' : String(fallback)
  return `invalid ${name}${shown} (expected ${variable.parser.expected}), using ${used}`
}

/** `SVC_*` names that no row has: most likely typing errors. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = variables.map((variable) => variable.name)
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name))
    .slice(0, 100)
    .map((name) => `unknown variable ${quote(name).slice(1, -1)} (nearest known name: ${nearest(name, known, Number.POSITIVE_INFINITY)})`)
}

/** Values that are valid one by one, and together do not do what they seem to. */
function contradictions(config: Config, valid: Set<string>): string[] {
  const rules: [boolean, string][] = [
    [config.controlAuth === 'token' && config.adminToken === null,
      'SVC_CONTROL_AUTH is token and SVC_ADMIN_TOKEN is not set: every request to the control plane is refused'],
    [config.controlAuth === 'jwt' && config.adminToken === null && config.controlJwtPublicKey === null,
      'SVC_CONTROL_AUTH is jwt and neither SVC_CONTROL_JWT_PUBLIC_KEY nor SVC_ADMIN_TOKEN is set: every request to the control plane is refused'],
    [config.shared.requireKey && !config.shared.enabled, 'SVC_REQUIRE_KEY is set without SVC_SHARED_MODE: shared mode is on'],
    [config.publicMode && config.a2a.pushAllowAll, 'SVC_A2A_PUSH_ALLOW_ALL has no effect in public mode'],
    [config.usageFile !== null && config.plan.limits.scope === 'session', 'SVC_USAGE_FILE has no effect with limits per session'],
    [valid.has('SVC_LIMIT_BURST') && config.plan.limits.rps === null, 'SVC_LIMIT_BURST has no effect without SVC_LIMIT_RPS'],
  ]
  return rules.filter(([applies]) => applies).map(([, warning]) => warning)
}

/** Sets what follows from several variables together. */
function derive(config: Config, valid: Set<string>): void {
  config.maxDelayMs = config.publicMode ? 10_000 : 30_000
  config.isCorsAnyByUser = valid.has('SVC_CORS_ORIGINS') && config.corsOrigins.includes('*')
  config.shared.enabled ||= config.shared.requireKey
  config.ai.requireAuth ||= config.ai.apiKey !== null
  config.a2a.pushAllowAll &&= !config.publicMode

  const hasOverride = variables.some(({ name }) => name.startsWith('SVC_LIMIT_') && valid.has(name))
  if (hasOverride && config.plan.name === 'none') config.plan.name = 'custom'
  config.plan.active = config.plan.name !== 'none'
  const limits = config.plan.limits
  limits.burst = limits.rps === null ? null : limits.burst ?? limits.rps
}
