/** The commands of the core and of plugins. */
import { variables } from '../config/variables.ts'
import type { Command } from '../contract/plugin.ts'
import { checkCommand } from './check.ts'
import { completionCommand } from './completion.ts'
import { doctorCommand } from './doctor.ts'
import { healthCommand } from './health.ts'
import { openCommand } from './open.ts'
import { sectionNameOf } from './command-context.ts'
import { findDefinitions, type FoundDefinition } from './plugin-definitions.ts'
import { newPluginCommand } from './new-plugin.ts'
import { pluginsCommand } from './plugins.ts'
import { routesCommand } from './routes.ts'
import { schemaCommand } from './schema.ts'
import type { Terminal } from './terminal.ts'

export interface FoundCommand {
  /** The plugin whose options the command can override; null for commands of the core. */
  plugin: string | null
  /** Key of the plugin's section in `svc.yaml`. */
  section: string | null
  command: Command
}

export function coreCommands(terminal: Terminal): FoundCommand[] {
  const commands = [
    healthCommand,
    openCommand,
    checkCommand,
    doctorCommand,
    pluginsCommand,
    routesCommand,
    schemaCommand,
    newPluginCommand,
  ].map(create => create(terminal))
  const completion = completionCommand(terminal, () => allCommands(terminal))
  return [...commands, completion].map(command => ({ plugin: null, section: null, command }))
}

export async function allCommands(terminal: Terminal): Promise<FoundCommand[]> {
  return [...coreCommands(terminal), ...(await pluginCommands(terminal))]
}

export async function pluginCommands(terminal: Terminal): Promise<FoundCommand[]> {
  return commandsOf(await findDefinitions(terminal, undefined, text => text.includes('command')))
}

/** Commands of plugins that a variable of the environment runs. */
export async function variableCommands(terminal: Terminal): Promise<FoundCommand[]> {
  const core = new Set(variables.map(({ name }) => name))
  const set = Object.entries(terminal.environment).flatMap(([name, value]) =>
    name.startsWith('SVC_') && value !== '' && !core.has(name) ? [name] : [],
  )
  if (set.length === 0) return []
  const found = commandsOf(await findDefinitions(terminal, undefined, text => set.some(name => text.includes(name))))
  return found.filter(({ command: { variable } }) => variable !== undefined && set.includes(variable.name))
}

function commandsOf(definitions: readonly FoundDefinition[]): FoundCommand[] {
  return definitions.flatMap(({ name, definition }) =>
    definition.command === undefined
      ? []
      : [{ plugin: name, section: sectionNameOf(name, definition), command: definition.command }],
  )
}
