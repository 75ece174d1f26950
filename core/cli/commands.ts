/** All commands: the core's own, and those that doors of plugins state. */
import { readFile } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { findConfigFile, readSvcYaml } from '../config/svc-yaml.ts'
import { discover } from '../host/discovery.ts'
import { loadPlugin } from '../host/module-loader.ts'
import type { Command } from '../host/plugin.ts'
import { BUILTIN_FOLDER } from '../product.ts'
import { checkCommand } from './check.ts'
import { pluginsCommand } from './plugins.ts'
import { routesCommand } from './routes.ts'
import type { Terminal } from './terminal.ts'

export interface FoundCommand {
  /** The plugin whose options the command may add to; null: the core's own. */
  plugin: string | null
  command: Command
}

export function coreCommands(terminal: Terminal): FoundCommand[] {
  return [checkCommand, pluginsCommand, routesCommand].map(create => ({ plugin: null, command: create(terminal) }))
}

/** The commands of all plugins that a start would find. A plugin that can't be loaded has no command. */
export async function pluginCommands({ environment, workingDirectory }: Terminal, config: string | undefined): Promise<FoundCommand[]> {
  const read = readSvcYaml(findConfigFile({ argument: config, variable: environment.SVC_CONFIG_FILE, cwd: workingDirectory }), { publicMode: false })
  const folders = (environment.SVC_PLUGINS_DIR ?? '').split(delimiter).filter(folder => folder !== '').map(folder => resolve(workingDirectory, folder))
  const found = await discover({
    builtinFolder: BUILTIN_FOLDER,
    folders: [...read.ok ? read.document.plugins.dirs : [], ...folders],
    packages: read.ok ? read.document.plugins.packages : [],
    workingDirectory,
  })
  const doors = await Promise.all(found.filter(plugin => plugin.problem === null).map(async plugin => {
    // Loading all of them takes a second; a door that states a command has the word in it.
    if (!(await readFile(plugin.entry!, 'utf8')).includes('command')) return null
    const door = await loadPlugin(plugin).catch(() => null)
    return door?.command === undefined ? null : { plugin: plugin.name, command: door.command }
  }))
  return doors.filter(door => door !== null)
}
