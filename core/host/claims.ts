/** What only one plugin can have, besides variables: a section of `svc.yaml`, and a subcommand. */
import { CORE_COMMANDS } from '../contract/command.ts'
import type { Plugin } from '../contract/plugin.ts'
import { CORE_SECTIONS } from './core-sections.ts'

/**
 * By plugin: what it declares although it is taken, by the core or by a plugin that comes before it in `definitions`.
 */
export function claimConflicts(definitions: ReadonlyMap<string, Plugin>): Map<string, string> {
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
