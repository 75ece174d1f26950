/** Decides which plugins are enabled, why the others are not, and in which order they register. Runs no plugin code. */
import type { Plugin } from '../contract/plugin.ts'

/** Dependencies of a plugin. */
export type PluginDependencies = Pick<Plugin, 'buildsOn' | 'uses'>

export interface RequestedState {
  /** If not empty, only these plugins and those that they build on are enabled. */
  enable: string[]
  disable: string[]
  /** States set through the control plane; they override `enable` and `disable`. */
  overrides: ReadonlyMap<string, boolean>
  /** Plugins that have failed, with the reason. */
  failed: ReadonlyMap<string, string>
  /** Those of them that failed because the state store was unavailable. */
  lackingState?: ReadonlySet<string>
}

export type Decision =
  | { state: 'enabled' }
  | { state: 'disabled'; by: string }
  /** `lacksState`: it, or one that it builds on, failed because the state store was unavailable. */
  | { state: 'failed'; message: string; lacksState?: true }

export interface Resolution {
  /** Enabled plugins, each after the plugins that it builds on or uses. */
  order: string[]
  decisions: Map<string, Decision>
}

/** Resolves the state of every plugin in `definitions`. */
export function resolvePlugins(
  definitions: ReadonlyMap<string, PluginDependencies>,
  requested: RequestedState,
): Resolution {
  const decisions = new Map<string, Decision>()
  const requestedNames = requestedByConfiguration(definitions, requested)
  for (const name of definitions.keys()) {
    const override = requested.overrides.get(name)
    const failure = requested.failed.get(name)
    if (override === false) decisions.set(name, { state: 'disabled', by: 'api' })
    else if (override === undefined && !requestedNames.has(name))
      decisions.set(name, { state: 'disabled', by: 'svc.yaml' })
    else if (failure !== undefined)
      decisions.set(name, { state: 'failed', message: failure, ...causeOf(requested.lackingState?.has(name)) })
    else decisions.set(name, { state: 'enabled' })
  }
  for (const cycle of findCycles(definitions, decisions)) {
    for (const name of cycle)
      decisions.set(name, { state: 'failed', message: `circular dependency: ${[...cycle, cycle[0]].join(' -> ')}` })
  }
  propagateFailures(definitions, decisions, requested.failed)
  return { order: sortByDependencies(definitions, decisions), decisions }
}

function requestedByConfiguration(
  definitions: ReadonlyMap<string, PluginDependencies>,
  { enable, disable }: RequestedState,
): Set<string> {
  const requestedNames = new Set<string>()
  const add = (name: string): void => {
    if (requestedNames.has(name) || !definitions.has(name)) return
    requestedNames.add(name)
    for (const dependency of definitions.get(name)!.buildsOn ?? []) add(dependency)
  }
  for (const name of enable.length > 0 ? enable : definitions.keys()) add(name)
  for (const name of disable) requestedNames.delete(name)
  return requestedNames
}

/** Disables plugins that build on a disabled plugin; fails those that build on a missing or failed one. */
function propagateFailures(
  definitions: ReadonlyMap<string, PluginDependencies>,
  decisions: Map<string, Decision>,
  failed: RequestedState['failed'],
): void {
  for (let changed = true; changed; ) {
    changed = false
    for (const [name, decision] of decisions) {
      if (decision.state !== 'enabled') continue
      for (const dependency of definitions.get(name)!.buildsOn ?? []) {
        const below = decisions.get(dependency)
        const state = below?.state
        if (state === 'enabled') continue
        if (state === 'disabled') decisions.set(name, { state: 'disabled', by: `needs ${dependency}` })
        else
          decisions.set(name, {
            state: 'failed',
            message:
              state === undefined && !failed.has(dependency)
                ? `builds on "${dependency}", which is not installed`
                : `builds on "${dependency}", which failed`,
            ...causeOf(below?.state === 'failed' && below.lacksState),
          })
        changed = true
        break
      }
    }
  }
}

function causeOf(lacksState: boolean | undefined): { lacksState?: true } {
  return lacksState === true ? { lacksState } : {}
}

function enabledDependencies(definition: PluginDependencies, decisions: ReadonlyMap<string, Decision>): string[] {
  return [...(definition.buildsOn ?? []), ...(definition.uses ?? [])].filter(
    name => decisions.get(name)?.state === 'enabled',
  )
}

/** Finds dependency cycles among enabled plugins, with Tarjan's algorithm for strongly connected components. */
function findCycles(
  definitions: ReadonlyMap<string, PluginDependencies>,
  decisions: ReadonlyMap<string, Decision>,
): string[][] {
  const cycles: string[][] = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (name: string): void => {
    index.set(name, index.size)
    low.set(name, index.get(name)!)
    stack.push(name)
    const next = enabledDependencies(definitions.get(name)!, decisions)
    for (const other of next) {
      if (!index.has(other)) visit(other)
      if (stack.includes(other)) low.set(name, Math.min(low.get(name)!, low.get(other)!))
    }
    if (low.get(name) !== index.get(name)) return
    const component = stack.splice(stack.indexOf(name))
    if (component.length > 1 || next.includes(name)) cycles.push(component)
  }
  for (const [name, decision] of decisions) if (decision.state === 'enabled' && !index.has(name)) visit(name)
  return cycles
}

function sortByDependencies(
  definitions: ReadonlyMap<string, PluginDependencies>,
  decisions: ReadonlyMap<string, Decision>,
): string[] {
  const order: string[] = []
  const placed = new Set<string>()
  const place = (name: string): void => {
    if (placed.has(name)) return
    placed.add(name)
    for (const other of enabledDependencies(definitions.get(name)!, decisions)) place(other)
    order.push(name)
  }
  for (const [name, decision] of decisions) if (decision.state === 'enabled') place(name)
  return order
}
