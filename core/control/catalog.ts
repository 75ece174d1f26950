/** The route catalog of `GET /_svc/catalog`. The landing page and plugins use it too. */
import type { Catalog, CatalogEndpoint, RouteExample } from '../contract/plugin.ts'
import type { CategoryRanks } from './categories.ts'
import { listOperations, type Operation } from './operations.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'

/** Builds the catalog: one endpoint per description, sorted by category. `categories` are the ranks that plugins declare. */
export function buildCatalog(routes: RouteRecord[], version: string, categories?: CategoryRanks): Catalog {
  const endpoints = listOperations(routes, categories).map(toEndpoint)
  return { version, count: endpoints.length, categories: countByCategory(endpoints), endpoints }
}

function countByCategory(endpoints: CatalogEndpoint[]): Catalog['categories'] {
  const counts = new Map<string, number>()
  for (const { category } of endpoints) counts.set(category, (counts.get(category) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count }))
}

function toEndpoint({ plugin, path, methods, expandedMethods, description }: Operation): CatalogEndpoint {
  return {
    path,
    methods,
    expanded_methods: expandedMethods,
    category: description.category,
    summary: description.summary,
    description: description.description ?? '',
    protocol: description.protocol ?? 'http',
    endless: description.endless ?? false,
    plugin,
    examples: description.examples.map(example => toExample(example, expandedMethods[0] ?? 'GET')),
  }
}

function toExample(example: RouteExample, defaultMethod: string): CatalogEndpoint['examples'][number] {
  return {
    name: example.name,
    method: (example.method ?? defaultMethod).toUpperCase(),
    path: example.path,
    headers: example.headers ?? [],
    body: example.body ?? null,
    body_type: example.bodyType ?? null,
    auth: example.auth ?? null,
    expect_status: example.expectStatus ?? null,
  }
}
