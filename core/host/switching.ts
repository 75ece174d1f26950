/** Switching plugins over the control plane: what a switch would change, and why it can't. */
import type { PluginRecord } from '../contract/plugin.ts'

/** How switching a plugin ended. Only `switched` and `failed` have built a generation. */
export type SwitchResult =
  | { outcome: 'switched'; record: PluginRecord }
  /** It was so already. */
  | { outcome: 'unchanged'; record: PluginRecord }
  | { outcome: 'unknown' }
  /** Switching off, without cascade: these plugins are on and build on it. */
  | { outcome: 'in-use'; usedBy: string[] }
  /** Switching on, without cascade: these plugins are off and it builds on them. */
  | { outcome: 'needs'; needs: string[] }
  /** It did not register; the record says why. */
  | { outcome: 'failed'; record: PluginRecord }

/** How clearing an override ended; the wish of `svc.yaml` is never refused. */
export type ClearResult = Extract<SwitchResult, { outcome: 'switched' | 'unchanged' | 'unknown' | 'failed' }>

export type SwitchPlan =
  | Exclude<SwitchResult, { outcome: 'switched' | 'failed' }>
  | { outcome: 'change'; names: string[] }

/** Decides without changing anything. */
export function planSwitch({
  name,
  isOn,
  cascade,
  records,
}: {
  name: string
  isOn: boolean
  cascade: boolean
  records: readonly PluginRecord[]
}): SwitchPlan {
  const byName = new Map(records.map(record => [record.name, record]))
  const record = byName.get(name)
  if (record === undefined) return { outcome: 'unknown' }
  if (isOn) {
    const needs = reach(name, other =>
      (byName.get(other)?.builds_on ?? []).filter(need => byName.get(need)?.state === 'disabled'),
    )
    if (needs.length > 0 && !cascade) return { outcome: 'needs', needs }
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

/** Everything that `next` leads to, without the start, sorted. */
function reach(start: string, next: (name: string) => string[]): string[] {
  const seen = new Set([start])
  for (const name of seen) for (const other of next(name)) seen.add(other)
  seen.delete(start)
  return [...seen].sort()
}
