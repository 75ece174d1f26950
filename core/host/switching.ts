/** Enabling and disabling plugins through the control plane. */
import type { PluginRecord } from '../contract/plugin.ts'

/** Result of switching a plugin. Only `switched` and `failed` have built a generation. */
export type SwitchResult =
  | { outcome: 'switched'; record: PluginRecord }
  /** The plugin is already in the requested state. */
  | { outcome: 'unchanged'; record: PluginRecord }
  | { outcome: 'unknown' }
  /** Disabling without `cascade`: these enabled plugins build on it. */
  | { outcome: 'in-use'; usedBy: string[] }
  /** Enabling without `cascade`: it builds on these plugins, which were disabled by name. */
  | { outcome: 'needs'; needs: string[] }
  /** The plugin failed to register; the record has the reason. */
  | { outcome: 'failed'; record: PluginRecord }

/** Result of removing an override. */
export type ClearResult = Extract<SwitchResult, { outcome: 'switched' | 'unchanged' | 'unknown' | 'failed' }>

export type SwitchPlan =
  | Exclude<SwitchResult, { outcome: 'switched' | 'failed' }>
  | { outcome: 'change'; names: string[] }

/** Determines what a switch would change, without changing anything. */
export function planSwitch({
  name,
  isOn,
  cascade,
  records,
  isDisabled = () => true,
}: {
  name: string
  isOn: boolean
  cascade: boolean
  /** Whether a plugin was disabled by its name; others are enabled with those that build on them. */
  isDisabled?(name: string): boolean
  records: readonly PluginRecord[]
}): SwitchPlan {
  const byName = new Map(records.map(record => [record.name, record]))
  const record = byName.get(name)
  if (record === undefined) return { outcome: 'unknown' }
  if (isOn) {
    const needs = reach(name, other =>
      (byName.get(other)?.builds_on ?? []).filter(need => byName.get(need)?.state === 'disabled'),
    )
    const refusing = needs.filter(isDisabled)
    if (refusing.length > 0 && !cascade) return { outcome: 'needs', needs: refusing }
    return record.state === 'disabled' || needs.length > 0
      ? { outcome: 'change', names: [name, ...needs] }
      : { outcome: 'unchanged', record }
  }
  const usedBy = reach(name, other =>
    records.filter(user => user.state === 'enabled' && user.builds_on.includes(other)).map(user => user.name),
  )
  if (record.state === 'disabled') return { outcome: 'unchanged', record }
  if (usedBy.length > 0 && !cascade) return { outcome: 'in-use', usedBy }
  return { outcome: 'change', names: [name, ...usedBy] }
}

/** Returns all names reachable from `start` through `next`, sorted and without `start`. */
function reach(start: string, next: (name: string) => string[]): string[] {
  const seen = new Set([start])
  for (const name of seen) for (const other of next(name)) seen.add(other)
  seen.delete(start)
  return [...seen].sort()
}
