/** Variables of plugins: read once per version of a definition, and shown together with those of the core. */
import type { Plugin } from '../contract/plugin.ts'
import type { VariableDefinition } from '../contract/declarations.ts'
import type { Environment } from './environment.ts'
import { nearest } from '../toolkit/nearest.ts'
import { quote } from '../contract/parsers.ts'
import { readVariable } from './read-variable.ts'
import { orderVariables, type Definitions } from './variable-order.ts'

type Definition = Pick<Plugin, 'variables' | 'resolveVariables'>

/** The values read for one version of a definition. */
interface Reading {
  values: Record<string, unknown>
  /** By variable. */
  warnings: ReadonlyMap<string, readonly string[]>
  /** The result of `resolveVariables`. */
  contradictions: readonly string[]
  /** Why the definition cannot be used; null if it can. */
  problem: string | null
}

/** Variables of programs that start svc or use it: the clients for tests and the GitHub Action. */
const FOR_OTHER_PROGRAMS: readonly string[] = [
  'SVC_COMMAND',
  'SVC_CONSOLE_URL',
  'SVC_GRPC_ADDRESS',
  'SVC_HTTPS_URL',
  'SVC_LOG',
  'SVC_PID',
  'SVC_REPORTS',
  'SVC_URL',
  'SVC_VERSION',
]
/** Maximum number of warnings about unknown variables; more would bury the others. */
const MAX_UNKNOWN = 100

export class PluginVariables {
  readonly #env: NodeJS.ProcessEnv
  readonly #core: Environment
  readonly #readings = new WeakMap<Definition, Reading>()

  constructor(env: NodeJS.ProcessEnv, core: Environment) {
    this.#env = env
    this.#core = core
  }

  /** The values passed to a plugin. The same definition always gets the same object. */
  valuesOf(definition: Definition): Record<string, unknown> {
    return this.#read(definition).values
  }

  /** Why the variables of a definition cannot be read; null if they can. */
  problemOf(definition: Definition): string | null {
    return this.#read(definition).problem
  }

  /**
   * All warnings about the environment with these plugins: values in the order of the variables, then unknown names,
   * then contradictions.
   */
  warnings(definitions: Definitions): string[] {
    const order = orderVariables(definitions)
    const ofValues = order.flatMap(
      ({ plugin, definition: { name } }) =>
        (plugin === null ? this.#core : this.#read(definitions.get(plugin)!)).warnings.get(name) ?? [],
    )
    const ofPlugins = [...definitions.values()].flatMap(definition => this.#read(definition).contradictions)
    return [
      ...ofValues,
      ...this.#unknown(order.map(({ definition }) => definition.name)),
      ...this.#core.contradictions,
      ...ofPlugins,
    ]
  }

  /** The values that plugins show in `GET /_svc/status`, by plugin. */
  status(definitions: Definitions): Record<string, Record<string, unknown>> {
    const status: Record<string, Record<string, unknown>> = {}
    for (const [plugin, definition] of definitions) {
      const { values } = this.#read(definition)
      const shown = Object.entries(definition.variables ?? {}).flatMap(([key, { statusAs }]) =>
        statusAs === undefined ? [] : [[statusAs, values[key]]],
      )
      if (shown.length > 0) status[plugin] = Object.fromEntries(shown)
    }
    return status
  }

  #read(definition: Definition): Reading {
    let reading = this.#readings.get(definition)
    if (reading === undefined) this.#readings.set(definition, (reading = read(definition, this.#env, this.#core)))
    return reading
  }

  /** `SVC_*` names that nobody declares, most likely typos. */
  #unknown(known: readonly string[]): string[] {
    return Object.keys(this.#env)
      .filter(name => name.startsWith('SVC_') && !known.includes(name) && !FOR_OTHER_PROGRAMS.includes(name))
      .slice(0, MAX_UNKNOWN)
      .map(
        name =>
          `unknown variable ${quote(name).slice(1, -1)} (closest match: ${nearest(name, known, Number.POSITIVE_INFINITY)})`,
      )
  }
}

function read(
  { variables = {}, resolveVariables }: Definition,
  env: NodeJS.ProcessEnv,
  { config }: Environment,
): Reading {
  const values: Record<string, unknown> = {}
  const warnings = new Map<string, readonly string[]>()
  try {
    for (const [key, variable] of Object.entries(variables)) {
      const one = readVariable(variable, env, () => copyOf(variable.default))
      values[key] = one.value
      warnings.set(variable.name, one.warnings)
    }
    const contradictions = resolveVariables?.(values, config) ?? []
    return { values: Object.freeze(values), warnings, contradictions, problem: null }
  } catch (error) {
    const defaults = Object.fromEntries(
      Object.entries(variables).map(([key, variable]) => [key, copyOf(variable.default)]),
    )
    return {
      values: defaults,
      warnings,
      contradictions: [],
      problem: `its variables cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** A definition may be used by several servers in one process, so they must not share a list. */
function copyOf(value: VariableDefinition['default']): unknown {
  return Array.isArray(value) ? [...value] : value
}
