/** Owns the list of described operations from which catalog, OpenAPI document and landing page are made. */
import type { RouteDescription } from '../contract/plugin.ts'
import { compareCategories, type CategoryRanks } from './categories.ts'
import type { RouteRecord } from '../http/pipeline/route-record.ts'

/** One description of a registered route, with what the description leaves to the route filled in. */
export interface Operation {
  /** Null: the core's own. */
  plugin: string | null
  /** Template in the catalog's notation. */
  path: string
  /** Upper case; `['ANY']` where the route takes every method. */
  methods: string[]
  /** The methods that are shown one by one. */
  expandedMethods: string[]
  description: RouteDescription
}

/** What stands for "any method" where methods are listed. */
const ANY_EXPANDED = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** A route that takes all of these takes any: a route with a list of its own hardly names TRACE. */
const EVERY_METHOD = [...ANY_EXPANDED, 'HEAD', 'OPTIONS', 'TRACE']

/** One operation per description, in category order; within a category as registered. */
export function listOperations(routes: RouteRecord[], categories: CategoryRanks = new Map()): Operation[] {
  const pathsWithGet = new Set(routes.filter(route => route.methods.includes('GET')).map(route => route.path))
  const operations: Operation[] = []
  for (const route of routes) {
    const ownMethods = pathsWithGet.has(route.path) ? withoutDerivedHead(route.methods) : route.methods
    if (ownMethods.length === 0) continue
    for (const description of route.descriptions) {
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

/** A router answers HEAD wherever it answers GET, so that HEAD says nothing; a route that takes any keeps it. */
function withoutDerivedHead(methods: string[]): string[] {
  return takesAny(methods) ? methods : methods.filter(method => method !== 'HEAD')
}

function nameMethods(methods: string[]): string[] {
  const upper = methods.map(method => method.toUpperCase())
  return takesAny(upper) ? ['ANY'] : [...new Set(upper)]
}

function takesAny(methods: string[]): boolean {
  return methods.includes('ANY') || EVERY_METHOD.every(method => methods.includes(method))
}
