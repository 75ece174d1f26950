/** Which checks of the catalog run. */
import { GROUPS, SERVICE_GROUPS, type Check } from './check.ts'

export interface Selection {
  /** Null: all but those of services. */
  groups: readonly string[] | null
  /** Ids, or prefixes such as `HDR-*`. Null: all. */
  ids: readonly string[] | null
  /** Ids that are left out. */
  without?: readonly string[]
}

/** A word that is neither a group nor an id. */
export interface UnknownWord {
  kind: 'group' | 'check'
  unknown: string
  known: readonly string[]
}

export function selectChecks(
  catalog: readonly Check[],
  { groups, ids, without = [] }: Selection,
): Check[] | UnknownWord {
  const known = [...new Set([...GROUPS, ...catalog.map(({ group }) => group)])]
  const unknownGroup = groups?.find(group => !known.includes(group))
  if (unknownGroup !== undefined) return { kind: 'group', unknown: unknownGroup, known }
  const unknownId = ids?.find(pattern => !catalog.some(({ id }) => matches(id, pattern)))
  if (unknownId !== undefined) return { kind: 'check', unknown: unknownId, known: catalog.map(({ id }) => id) }
  return catalog.filter(
    ({ id, group }) =>
      (groups?.includes(group) ?? (ids !== null || !SERVICE_GROUPS.includes(group))) &&
      (ids === null || ids.some(pattern => matches(id, pattern))) &&
      !without.includes(id),
  )
}

function matches(id: string, pattern: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern
}

/** Groups that only checks of other plugins have. */
export function newGroupsOf(catalog: readonly Check[]): string[] {
  const known: readonly string[] = GROUPS
  return [...new Set(catalog.map(({ group }) => group))].filter(group => !known.includes(group))
}
