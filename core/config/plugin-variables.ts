/** Variables of plugins: read once for each version of a definition, and shown together with the core's. */
import type { Plugin } from '../contract/plugin.ts'
import type { VariableDefinition } from '../contract/declarations.ts'
import type { Environment } from './environment.ts'
import { nearest } from '../contract/nearest.ts'
import { quote } from '../contract/parsers.ts'
import { readVariable } from './read-variable.ts'
import { orderVariables, type Definitions } from './variable-order.ts'

type Definition = Pick<Plugin, 'variables' | 'resolveVariables'>

/** What was read for one version of a definition. */
interface Reading {
  values: Record<string, unknown>
  /** By variable. */
  warnings: ReadonlyMap<string, readonly string[]>
  /** What `resolveVariables` returned. */
  contradictions: readonly string[]
  /** Why the definition cannot be used; null: it can. */
  problem: string | null
}

/** Warnings about unknown variables; more would bury the others. */
const MAX_UNKNOWN = 100

export class PluginVariables {
  readonly #env: NodeJS.ProcessEnv
  readonly #core: Environment
  readonly #readings = new WeakMap<Definition, Reading>()

  constructor(env: NodeJS.ProcessEnv, core: Environment) {
    this.#env = env
    this.#core = core
  }

  /** The values that a plugin gets; the same object for the same definition. */
  valuesOf(definition: Definition): Record<string, unknown> {
    return this.#read(definition).values
  }

  /** Why the variables of a definition cannot be read; null: they can. */
  problemOf(definition: Definition): string | null {
    return this.#read(definition).problem
  }

  /** All warnings about the environment, with these plugins: values in the order of the variables, unknown names, contradictions. */
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

  /** What plugins show in `GET /_svc/status`, by plugin. */
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

  /** `SVC_*` names that nothing declares: most likely typing errors. */
  #unknown(known: readonly string[]): string[] {
    return Object.keys(this.#env)
      .filter(name => name.startsWith('SVC_') && !known.includes(name))
      .slice(0, MAX_UNKNOWN)
      .map(
        name =>
          `unknown variable ${quote(name).slice(1, -1)} (nearest known name: ${nearest(name, known, Number.POSITIVE_INFINITY)})`,
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
      problem: `its variables can't be read: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** A definition may serve several servers of one process, a list must not. */
function copyOf(value: VariableDefinition['default']): unknown {
  return Array.isArray(value) ? [...value] : value
}
