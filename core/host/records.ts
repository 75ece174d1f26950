/** Plugin records for the control plane. */
import { maskOptions } from '../config/shown-options.ts'
import type { BuildResult } from './build.ts'
import type { FoundPlugin } from './discovery.ts'
import type { Inventory } from './inventory.ts'
import type { PluginRecord } from '../contract/plugin.ts'
import type { Settings } from './settings.ts'

/** Returns a record for each plugin that was found, sorted by name. Secrets in options are masked. */
export function recordsOf(
  found: readonly FoundPlugin[],
  inventory: Inventory,
  result: BuildResult,
  settings: Settings,
  publicMode: boolean,
  productVersion: string,
): PluginRecord[] {
  return found
    .map(plugin => recordOf(plugin, inventory, result, settings, publicMode, productVersion))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function recordOf(
  plugin: FoundPlugin,
  inventory: Inventory,
  result: BuildResult,
  settings: Settings,
  publicMode: boolean,
  productVersion: string,
): PluginRecord {
  const { name, source } = plugin
  const running = plugin.problem === null ? result.running.get(name) : undefined
  const loaded = inventory.loadedOf(plugin)
  const definition = running?.definition ?? (loaded !== null && 'code' in loaded ? loaded.code.definition : null)
  const decision = plugin.problem === null ? result.resolution.decisions.get(name) : undefined
  const failure = errorOf(plugin, inventory, result)
  const error = publicMode && failure !== null ? { ...failure, message: withoutFolders(failure.message) } : failure
  const isEnabled = decision?.state === 'enabled'
  return {
    name,
    title: definition?.title ?? name,
    version: definition?.version ?? plugin.version ?? productVersion,
    description: definition?.description ?? '',
    source,
    path: source === 'builtin' || publicMode ? null : plugin.folder,
    state: decision?.state === 'disabled' ? 'disabled' : isEnabled ? 'enabled' : 'failed',
    disabled_by: decision?.state === 'disabled' ? decision.by : null,
    routes: isEnabled
      ? new Set(result.generation.routes.list.filter(route => route.plugin === name).map(route => route.path)).size
      : 0,
    paths: definition?.paths ?? [],
    error: decision?.state === 'disabled' ? null : error,
    stale: isEnabled && error !== null,
    generation:
      running?.loadedIn ?? (loaded !== null && 'code' in loaded ? loaded.code.loadedIn : result.generation.number),
    faults: Object.fromEntries(
      Object.entries(definition?.faults ?? {}).map(([word, { status, message }]) => [word, { status, message }]),
    ),
    builds_on: definition?.buildsOn ?? [],
    uses: definition?.uses ?? [],
    options: maskOptions(result.options.get(name) ?? {}, definition?.options),
  }
}

/** Public instances do not show where files are. */
function withoutFolders(message: string): string {
  const at = message.indexOf(', in /')
  return at === -1 ? message : message.slice(0, at)
}

function errorOf(plugin: FoundPlugin, inventory: Inventory, result: BuildResult): PluginRecord['error'] {
  if (plugin.problem !== null) return { phase: 'discover', message: plugin.problem }
  const loaded = inventory.loadedOf(plugin)
  if (loaded !== null && 'error' in loaded) return { phase: loaded.phase, message: loaded.error }
  const invalid = inventory.invalidOptions(plugin.name)
  if (invalid !== undefined) return { phase: 'options', message: invalid }
  const failure = result.failures.get(plugin.name)
  if (failure !== undefined) return { phase: 'register', message: failure }
  const decision = result.resolution.decisions.get(plugin.name)
  return decision?.state === 'failed' ? { phase: 'register', message: decision.message } : null
}
