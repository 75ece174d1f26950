/** Lists the described operations for the catalog, the OpenAPI document and the landing page. */
import type { RouteDescription } from '../contract/plugin.ts'
import { compareCategories, type CategoryRanks } from './categories.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'

/** A route description, completed with facts of the route. */
export interface Operation {
  /** Null for routes of the core. */
  plugin: string | null
  /** Path template in the notation of the catalog. */
  path: string
  /** Upper case. `['ANY']` if the route accepts all methods. */
  methods: string[]
  /** `methods`, with `ANY` replaced by the common methods. */
  expandedMethods: string[]
  description: RouteDescription
}

/** The methods that `ANY` is replaced by. */
const ANY_EXPANDED = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** A route that accepts all of these is shown as `ANY`: explicit lists of methods rarely contain TRACE. */
const EVERY_METHOD = [...ANY_EXPANDED, 'HEAD', 'OPTIONS', 'TRACE']

/** Returns an operation per description, sorted by category, then in order of registration. */
export function listOperations(routes: RouteRecord[], categories: CategoryRanks = new Map()): Operation[] {
  const pathsWithGet = new Set(routes.filter(route => route.methods.includes('GET')).map(route => route.path))
  const operations: Operation[] = []
  for (const route of routes) {
    const ownMethods = pathsWithGet.has(route.path) ? withoutDerivedHead(route.methods) : route.methods
    if (ownMethods.length === 0) continue
    for (const description of route.descriptions) {
      if (description.ofHost) continue
      const methods = nameMethods(description.methods ?? ownMethods)
      operations.push({
        plugin: route.plugin,
        path: description.path ?? route.path,
        methods,
        expandedMethods: methods[0] === 'ANY' ? ANY_EXPANDED : methods,
        description,
      })
    }
  }
  return operations.sort((a, b) => compareCategories(a.description.category, b.description.category, categories))
}

/** Removes HEAD, which Fastify adds to every GET route, unless the route accepts all methods. */
function withoutDerivedHead(methods: string[]): string[] {
  return acceptsAny(methods) ? methods : methods.filter(method => method !== 'HEAD')
}

function nameMethods(methods: string[]): string[] {
  const upper = methods.map(method => method.toUpperCase())
  return acceptsAny(upper) ? ['ANY'] : [...new Set(upper)]
}

function acceptsAny(methods: string[]): boolean {
  return methods.includes('ANY') || EVERY_METHOD.every(method => methods.includes(method))
}
