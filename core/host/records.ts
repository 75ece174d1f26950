/** What the control plane shows of each plugin. */
import type { BuildResult } from './build.ts'
import type { FoundPlugin } from './discovery.ts'
import type { Inventory } from './inventory.ts'
import type { PluginRecord } from '../contract/plugin.ts'
import type { Settings } from './settings.ts'

/** One record per plugin that was found, sorted by name; options as they are, secrets included. */
export function recordsOf(found: readonly FoundPlugin[], inventory: Inventory, result: BuildResult, settings: Settings, publicMode: boolean, productVersion: string): PluginRecord[] {
  return found
    .map(plugin => recordOf(plugin, inventory, result, settings, publicMode, productVersion))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function recordOf(plugin: FoundPlugin, inventory: Inventory, result: BuildResult, settings: Settings, publicMode: boolean, productVersion: string): PluginRecord {
  const { name, source } = plugin
  const running = plugin.problem === null ? result.running.get(name) : undefined
  const loaded = inventory.look(plugin)
  const door = running?.door ?? (loaded !== null && 'code' in loaded ? loaded.code.door : null)
  const verdict = plugin.problem === null ? result.arrangement.verdicts.get(name) : undefined
  const error = errorOf(plugin, inventory, result)
  const isEnabled = verdict?.state === 'enabled'
  return {
    name,
    title: door?.title ?? name,
    version: door?.version ?? plugin.version ?? productVersion,
    description: door?.description ?? '',
    source,
    path: source === 'builtin' || publicMode ? null : plugin.folder,
    state: verdict?.state === 'disabled' ? 'disabled' : isEnabled ? 'enabled' : 'failed',
    disabled_by: verdict?.state === 'disabled' ? verdict.by : null,
    routes: isEnabled ? new Set(result.generation.routes.list.filter(route => route.plugin === name).map(route => route.path)).size : 0,
    paths: door?.paths ?? [],
    error: verdict?.state === 'disabled' ? null : error,
    stale: isEnabled && error !== null,
    generation: running?.loadedIn ?? (loaded !== null && 'code' in loaded ? loaded.code.loadedIn : result.generation.number),
    builds_on: door?.buildsOn ?? [],
    uses: door?.uses ?? [],
    options: result.options.get(name) ?? {},
  }
}

function errorOf(plugin: FoundPlugin, inventory: Inventory, result: BuildResult): PluginRecord['error'] {
  if (plugin.problem !== null) return { phase: 'discover', message: plugin.problem }
  const loaded = inventory.look(plugin)
  if (loaded !== null && 'error' in loaded) return { phase: 'load', message: loaded.error }
  const invalid = inventory.invalidOptions(plugin.name)
  if (invalid !== undefined) return { phase: 'options', message: invalid }
  const failure = result.failures.get(plugin.name)
  if (failure !== undefined) return { phase: 'register', message: failure }
  const verdict = result.arrangement.verdicts.get(plugin.name)
  return verdict?.state === 'failed' ? { phase: 'register', message: verdict.message } : null
}
