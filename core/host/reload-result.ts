/** What a reload has changed. */
import type { LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'

interface Reloaded {
  /** The generation that serves now. */
  generation: number
  loadErrors: LoadError[]
  /** On the monotonic clock, in milliseconds. */
  startedAt: number
}

/** The running generation was kept. `applied` is false if the configuration could not be read. */
export function unchanged(applied: boolean, { generation, loadErrors, startedAt }: Reloaded): ReloadResult {
  return {
    applied,
    changed: false,
    generation,
    plugins: { added: [], reloaded: [], removed: [], failed: [] },
    load_errors: loadErrors,
    took_ms: tookMs(startedAt),
  }
}

/** A new generation serves. */
export function changed(
  before: readonly PluginRecord[],
  after: readonly PluginRecord[],
  { generation, loadErrors, startedAt }: Reloaded,
): ReloadResult {
  const enabledBefore = enabled(before)
  const enabledNow = enabled(after)
  return {
    applied: true,
    changed: true,
    generation,
    plugins: {
      added: [...enabledNow.keys()].filter(name => !enabledBefore.has(name)),
      reloaded: [...enabledNow.values()]
        .filter(record => enabledBefore.has(record.name) && record.generation === generation)
        .map(record => record.name),
      removed: [...enabledBefore.keys()].filter(name => !enabledNow.has(name)),
      failed: after.filter(record => record.error !== null).map(record => record.name),
    },
    load_errors: loadErrors,
    took_ms: tookMs(startedAt),
  }
}

/** What the log says about a reload: the names of plugins where there are any, separated by commas. */
export function logFieldsOf({ generation, plugins, took_ms }: ReloadResult): Record<string, string | number> {
  const names = Object.entries(plugins).flatMap(([what, list]) => (list.length === 0 ? [] : [[what, list.join()]]))
  return { generation, ...Object.fromEntries(names), took_ms }
}

function enabled(records: readonly PluginRecord[]): Map<string, PluginRecord> {
  return new Map(records.filter(record => record.state === 'enabled').map(record => [record.name, record]))
}

function tookMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
