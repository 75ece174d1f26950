/** Collects the declarations of all plugins of a generation, including disabled ones. */
import type { PluginVariables } from '../config/plugin-variables.ts'
import { variableConflicts } from '../config/variable-conflicts.ts'
import type { Exemption, PageLink, Plugin } from '../contract/plugin.ts'
import { resolvePlugins, type RequestedState } from './resolution.ts'
import { CORE_COMMANDS } from '../contract/command.ts'
import { CORE_SECTIONS } from './core-sections.ts'

export interface Declarations {
  /** By plugin name. Built-in plugins come first; each group is sorted by name. */
  readonly definitions: ReadonlyMap<string, Plugin>
  readonly exemptions: readonly Exemption[]
  readonly areas: readonly string[]
  readonly faultKinds: readonly string[]
  /** Ranks of categories by name. */
  readonly categories: ReadonlyMap<string, number>
  readonly links: readonly PageLink[]
}

export function collectDeclarations(definitions: ReadonlyMap<string, Plugin>): Declarations {
  const all = [...definitions.values()]
  const categories = new Map<string, number>()
  for (const { name, rank } of all.flatMap(definition => definition.categories ?? []))
    if (!categories.has(name)) categories.set(name, rank)
  return {
    definitions,
    exemptions: all.flatMap(definition => definition.exempt ?? []),
    areas: [...new Set(all.flatMap(({ area }) => area ?? []))],
    faultKinds: [
      ...new Set(all.flatMap(({ faultKinds = [], faults = {} }) => [...faultKinds, ...Object.keys(faults)])),
    ],
    categories,
    links: all.flatMap(({ links }) => links ?? []),
  }
}

/**
 * Returns the plugins whose definition can't be used, with the reason: their variables can't be read, or it declares what
 * belongs to the core or to another plugin. Enabled plugins take precedence, so a fork can replace a disabled built-in plugin
 * and its variables.
 */
export function declarationProblems(
  definitions: ReadonlyMap<string, Plugin>,
  requested: RequestedState,
  variables: PluginVariables,
): Map<string, string> {
  const { decisions } = resolvePlugins(definitions, requested)
  const isOff = ([name]: [string, Plugin]): boolean => decisions.get(name)!.state === 'disabled'
  const all = [...definitions]
  const byPrecedence = new Map([...all.filter(one => !isOff(one)), ...all.filter(isOff)])
  const problems = new Map([...claimConflicts(byPrecedence), ...variableConflicts(byPrecedence)])
  for (const [name, definition] of definitions) {
    const problem = variables.problemOf(definition)
    if (problem !== null && !requested.failed.has(name)) problems.set(name, problem)
  }
  return problems
}

/**
 * By plugin: what it declares although it is taken, by the core or by a plugin that comes before it in `definitions`.
 */
function claimConflicts(definitions: ReadonlyMap<string, Plugin>): Map<string, string> {
  const conflicts = new Map<string, string>()
  const owners = new Map<string, string>([
    ...CORE_SECTIONS.map(name => [`section ${name}`, 'the core'] as const),
    ...CORE_COMMANDS.map(name => [`command ${name}`, 'the core'] as const),
  ])
  for (const [plugin, { section = plugin, command }] of definitions) {
    for (const claim of [`section ${section}`, ...(command === undefined ? [] : [`command ${command.name}`])]) {
      const owner = owners.get(claim)
      if (owner === undefined) owners.set(claim, `the plugin ${plugin}`)
      else if (!conflicts.has(plugin)) conflicts.set(plugin, `the ${claim} already belongs to ${owner}`)
    }
  }
  return conflicts
}
