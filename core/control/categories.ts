/** The order of the catalog's categories. */

/** Ranks of categories by name. Lower ranks come first; categories without a rank come last, sorted by name. */
export type CategoryRanks = ReadonlyMap<string, number>

/** Categories of the core, which come after those of plugins. */
export const CORE_CATEGORIES: CategoryRanks = new Map([
  ['Health & Identity', 1000],
  ['Control Plane', 1010],
  ['Testing', 1015],
  ['Docs', 1020],
])

/** Compares two category names for sorting. `declared` are the ranks that plugins declare. */
export function compareCategories(a: string, b: string, declared: CategoryRanks): number {
  const rankA = rankOf(a, declared)
  const rankB = rankOf(b, declared)
  if (rankA !== rankB) return rankA < rankB ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function rankOf(name: string, declared: CategoryRanks): number {
  return CORE_CATEGORIES.get(name) ?? declared.get(name) ?? Infinity
}
