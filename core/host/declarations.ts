/** What the definitions of a generation's plugins declare for the core, put together; disabled plugins declare too. */
import type { Exemption, PageLink, Plugin } from '../contract/plugin.ts'

export interface Declarations {
  /** By plugin: the built-in ones first, each group in the order of their names. */
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
  for (const { name, rank } of all.flatMap((definition) => definition.categories ?? [])) if (!categories.has(name)) categories.set(name, rank)
  return {
    definitions,
    exemptions: all.flatMap((definition) => definition.exempt ?? []),
    areas: [...new Set(all.flatMap(({ area }) => area ?? []))],
    faultKinds: [...new Set(all.flatMap(({ faultKinds }) => faultKinds ?? []))],
    categories,
    links: all.flatMap(({ links }) => links ?? []),
  }
}
