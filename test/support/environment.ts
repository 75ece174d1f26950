/** Reads the environment as a server with the built-in plugins does: variables of the core and of the plugins. */
import type { Config as CoreConfig } from '../../core/config/config.ts'
import { effectiveView as viewOf, type EffectiveState } from '../../core/config/effective.ts'
import { readEnvironment as readCore } from '../../core/config/environment.ts'
import { PluginVariables } from '../../core/config/plugin-variables.ts'
import { configurationTable as tableOf } from '../../core/config/reference.ts'
import { orderVariables } from '../../core/config/variable-order.ts'
import type { Variables as A2aVariables } from '../../plugins/a2a/variables.ts'
import type { Variables as LlmVariables } from '../../plugins/llm/providers/variables.ts'
import type { Variables as McpVariables } from '../../plugins/mcp/variables.ts'
import type { Variables as MocksVariables } from '../../plugins/mocks/variables.ts'
import { builtinDefinitions } from './definitions.ts'

const definitions = await builtinDefinitions()

/** The core's configuration, and the variables of plugins under their part in `GET /_svc/config`. */
export interface Config extends CoreConfig {
  consoleTitle: string | null
  consoleBacklink: string | null
  mcp: McpVariables
  ai: LlmVariables
  a2a: A2aVariables
  mocks: MocksVariables
}

/** All variables, in documentation order. */
export const variables = orderVariables(definitions).map(({ definition }) => definition)

const readings = new WeakMap<Config, { core: CoreConfig; plugins: PluginVariables }>()

export function readEnvironment(env: NodeJS.ProcessEnv): { config: Config; warnings: string[] } {
  const core = readCore(env)
  const plugins = new PluginVariables(env, core)
  const valuesOf = <T>(name: string): T => ({ ...plugins.valuesOf(definitions.get(name)!) }) as T
  const console = valuesOf<{ title: string | null; backlink: string | null }>('console')
  const config: Config = {
    ...core.config,
    consoleTitle: console.title,
    consoleBacklink: console.backlink,
    mcp: valuesOf('mcp'),
    ai: valuesOf('llm'),
    a2a: valuesOf('a2a'),
    mocks: valuesOf('mocks'),
  }
  readings.set(config, { core: core.config, plugins })
  return { config, warnings: plugins.warnings(definitions) }
}

/** The effective view of a configuration. */
export function effectiveView(config: Config, state: EffectiveState): Record<string, unknown> {
  const { core, plugins } = readings.get(config)!
  return viewOf(core, state, plugins, definitions)
}

export function configurationTable(): string {
  return tableOf(definitions)
}
