/** Subcommands: the first word of the command line names one that a door states (`svc mock …`). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { discover } from './host/discovery.ts'
import { loadPlugin } from './host/module-loader.ts'
import type { Command } from './host/plugin.ts'

export interface FoundCommand {
  /** The plugin whose options the command may add to. */
  plugin: string
  command: Command
}

const BUILTIN_FOLDER = join(fileURLToPath(new URL('..', import.meta.url)), 'plugins')

/**
 * The commands of the built-in plugins and of those in `folders`. A plugin that can't be loaded has no command.
 */
export async function findCommands(folders: string[], workingDirectory: string): Promise<FoundCommand[]> {
  const found = await discover({ builtinFolder: BUILTIN_FOLDER, folders, packages: [], workingDirectory })
  const doors = await Promise.all(found.filter(plugin => plugin.problem === null).map(async plugin => {
    // Loading all of them takes a second; a door that states a command has the word in it.
    if (!(await readFile(plugin.entry!, 'utf8')).includes('command')) return null
    const door = await loadPlugin(plugin).catch(() => null)
    return door?.command === undefined ? null : { plugin: plugin.name, command: door.command }
  }))
  return doors.filter(door => door !== null)
}
