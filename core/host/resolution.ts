/** Which plugins are on, why the others are not, and the order in which they register. Pure: no code of a plugin runs. */
import type { Plugin } from '../contract/plugin.ts'

/** What the arrangement needs to know of a plugin. */
export type Door = Pick<Plugin, 'buildsOn' | 'uses'>

export interface Wishes {
  /** If not empty: only these, and what they build on. */
  enable: string[]
  disable: string[]
  /** Switches of the API win over both. */
  overrides: ReadonlyMap<string, boolean>
  /** Plugins that can't be used this time, with the reason. */
  failed: ReadonlyMap<string, string>
}

export type Verdict =
  | { state: 'enabled' }
  | { state: 'disabled'; by: string }
  | { state: 'failed'; message: string }

export interface Arrangement {
  /** Enabled plugins, each after all that it builds on or uses. */
  order: string[]
  verdicts: Map<string, Verdict>
}

/** Decides for every known plugin; names in `doors` are unique. */
export function arrange(doors: ReadonlyMap<string, Door>, wishes: Wishes): Arrangement {
  const verdicts = new Map<string, Verdict>()
  const wanted = wantedByConfiguration(doors, wishes)
  for (const name of doors.keys()) {
    const override = wishes.overrides.get(name)
    const failure = wishes.failed.get(name)
    if (override === false) verdicts.set(name, { state: 'disabled', by: 'api' })
    else if (override === undefined && !wanted.has(name)) verdicts.set(name, { state: 'disabled', by: 'svc.yaml' })
    else if (failure !== undefined) verdicts.set(name, { state: 'failed', message: failure })
    else verdicts.set(name, { state: 'enabled' })
  }
  for (const cycle of findCycles(doors, verdicts)) {
    for (const name of cycle) verdicts.set(name, { state: 'failed', message: `needs itself: ${[...cycle, cycle[0]].join(' -> ')}` })
  }
  spreadAbsence(doors, verdicts, wishes.failed)
  return { order: orderByNeeds(doors, verdicts), verdicts }
}

function wantedByConfiguration(doors: ReadonlyMap<string, Door>, { enable, disable }: Wishes): Set<string> {
  const wanted = new Set<string>()
  const want = (name: string): void => {
    if (wanted.has(name) || !doors.has(name)) return
    wanted.add(name)
    for (const need of doors.get(name)!.buildsOn ?? []) want(need)
  }
  for (const name of enable.length > 0 ? enable : doors.keys()) want(name)
  for (const name of disable) wanted.delete(name)
  return wanted
}

/** One that is off takes those that build on it along; so does one that is missing or failed. */
function spreadAbsence(doors: ReadonlyMap<string, Door>, verdicts: Map<string, Verdict>, failed: Wishes['failed']): void {
  for (let changed = true; changed;) {
    changed = false
    for (const [name, verdict] of verdicts) {
      if (verdict.state !== 'enabled') continue
      for (const need of doors.get(name)!.buildsOn ?? []) {
        const state = verdicts.get(need)?.state
        if (state === 'enabled') continue
        if (state === 'disabled') verdicts.set(name, { state: 'disabled', by: `needs ${need}` })
        else verdicts.set(name, { state: 'failed', message: state === undefined && !failed.has(need) ? `builds on "${need}", which is not there` : `builds on "${need}", which failed` })
        changed = true
        break
      }
    }
  }
}

function neighbours(door: Door, verdicts: ReadonlyMap<string, Verdict>): string[] {
  return [...(door.buildsOn ?? []), ...(door.uses ?? [])].filter(name => verdicts.get(name)?.state === 'enabled')
}

/** Circles among enabled plugins (Tarjan's components of more than one, or a plugin that names itself). */
function findCycles(doors: ReadonlyMap<string, Door>, verdicts: ReadonlyMap<string, Verdict>): string[][] {
  const cycles: string[][] = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (name: string): void => {
    index.set(name, index.size)
    low.set(name, index.get(name)!)
    stack.push(name)
    const next = neighbours(doors.get(name)!, verdicts)
    for (const other of next) {
      if (!index.has(other)) visit(other)
      if (stack.includes(other)) low.set(name, Math.min(low.get(name)!, low.get(other)!))
    }
    if (low.get(name) !== index.get(name)) return
    const component = stack.splice(stack.indexOf(name))
    if (component.length > 1 || next.includes(name)) cycles.push(component)
  }
  for (const [name, verdict] of verdicts) if (verdict.state === 'enabled' && !index.has(name)) visit(name)
  return cycles
}

function orderByNeeds(doors: ReadonlyMap<string, Door>, verdicts: ReadonlyMap<string, Verdict>): string[] {
  const order: string[] = []
  const placed = new Set<string>()
  const place = (name: string): void => {
    if (placed.has(name)) return
    placed.add(name)
    for (const other of neighbours(doors.get(name)!, verdicts)) place(other)
    order.push(name)
  }
  for (const [name, verdict] of verdicts) if (verdict.state === 'enabled') place(name)
  return order
}
