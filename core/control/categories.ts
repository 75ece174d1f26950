/** Owns the order in which the catalog's categories are shown. */

/** Ranks of categories by name: lower ones are shown first, a category without a rank comes last, by name. */
export type CategoryRanks = ReadonlyMap<string, number>

/** The core's own categories, behind those that plugins declare. */
export const CORE_CATEGORIES: CategoryRanks = new Map([
  ['Health & Identity', 1000],
  ['Control Plane', 1010],
  ['Docs', 1020],
])

/** Sort order of two category names: below 0 when `a` is shown first. `declared` are the ranks that plugins give. */
export function compareCategories(a: string, b: string, declared: CategoryRanks): number {
  const rankA = rankOf(a, declared)
  const rankB = rankOf(b, declared)
  if (rankA !== rankB) return rankA < rankB ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function rankOf(name: string, declared: CategoryRanks): number {
  return CORE_CATEGORIES.get(name) ?? declared.get(name) ?? Infinity
}
