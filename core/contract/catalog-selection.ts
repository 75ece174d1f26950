/** Parses `?category=` and `?plugin=`, which select a part of the catalog. Both can be repeated. */
import { HttpError } from './http-error.ts'
import type { Catalog, CatalogEndpoint, PluginRecord } from './instance.ts'

export interface CatalogSelection {
  /** Exact names; empty means all. */
  categories: readonly string[]
  /** Names of enabled plugins; empty means all, and the core. */
  plugins: readonly string[]
}

/** Throws a 400 with the known names if a name is unknown or empty. */
export function readCatalogSelection(
  query: URLSearchParams,
  known: { categories: Catalog['categories']; plugins: readonly PluginRecord[] },
): CatalogSelection {
  const categories = known.categories.map(({ name }) => name)
  const plugins = known.plugins.filter(({ state }) => state === 'enabled').map(({ name }) => name)
  for (const category of query.getAll('category'))
    if (!categories.includes(category)) throw new HttpError(400, { error: 'unknown category', category, categories })
  for (const name of query.getAll('plugin'))
    if (!plugins.includes(name)) throw new HttpError(400, { error: 'unknown plugin', name, plugins })
  return { categories: query.getAll('category'), plugins: query.getAll('plugin') }
}

/** Whether an endpoint belongs to the selection. */
export function isSelected(
  { categories, plugins }: CatalogSelection,
  { category, plugin }: Pick<CatalogEndpoint, 'category' | 'plugin'>,
): boolean {
  return (
    (categories.length === 0 || categories.includes(category)) &&
    (plugins.length === 0 || plugins.includes(plugin ?? ''))
  )
}
