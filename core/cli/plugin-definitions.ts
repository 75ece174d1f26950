/** Finds and loads the definitions of all plugins, without registering them. */
import { readFile } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { findConfigFile, readSvcYaml } from '../config/svc-yaml.ts'
import { discover, type FoundPlugin } from '../host/discovery.ts'
import { loadPlugin } from '../host/module-loader.ts'
import { prebuilt } from '../host/packed.ts'
import type { Plugin } from '../contract/plugin.ts'
import { BUILTIN_FOLDER } from '../product.ts'
import type { Terminal } from './terminal.ts'

export interface FoundDefinition {
  name: string
  /** Absolute. */
  folder: string
  definition: Plugin
}

/**
 * Plugins that can't be loaded are skipped. With `isWanted`, only plugins are loaded whose entry file it accepts, because
 * loading all of them takes a second.
 */
export async function findDefinitions(
  { environment, workingDirectory, bundler }: Terminal,
  config?: string,
  isWanted?: (entry: string) => boolean,
): Promise<FoundDefinition[]> {
  const read = readSvcYaml(
    findConfigFile({ argument: config, variable: environment.SVC_CONFIG_FILE, cwd: workingDirectory }),
    { publicMode: false },
  )
  const folders = (environment.SVC_PLUGINS_DIR ?? '')
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => resolve(workingDirectory, folder))
  const found = await discover({
    builtinFolder: BUILTIN_FOLDER,
    folders: [...(read.ok ? read.document.plugins.dirs : []), ...folders],
    packages: read.ok ? read.document.plugins.packages : [],
    workingDirectory,
  })
  const definitions = await Promise.all(
    found
      .filter(({ problem }) => problem === null)
      .map(async plugin => {
        if (isWanted !== undefined && !isWanted(await wordsOf(plugin))) return null
        const definition = await loadPlugin(plugin, { bundler }).catch(() => null)
        return definition === null ? null : { name: plugin.name, folder: plugin.folder, definition }
      }),
  )
  return definitions.filter(definition => definition !== null)
}

/** The text of the entry file; its words alone if the plugin is packed. */
async function wordsOf({ name, source, entry }: FoundPlugin): Promise<string> {
  return (source === 'builtin' ? prebuilt?.plugins.get(name) : undefined) ?? (await readFile(entry!, 'utf8'))
}
