/** The routes of a generation as the pipeline sees them: found before Fastify routes, so that every layer knows them. */
import FindMyWay from 'find-my-way'
import type { HTTPMethod } from 'find-my-way'
import { templatePattern, templateShape } from '../../contract/path-template.ts'
import { decodedPath } from '../../fields/request-target.ts'
import type { RouteDescription } from '../../contract/plugin.ts'
import type { CoreRoute } from './route-record.ts'
import type { RouteLookup } from '../request/types.ts'

/** Longest path parameter; Fastify's 100 would refuse ordinary base64 values. */
export const MAX_PARAM_LENGTH = 16_384

export class RouteTable implements RouteLookup {
  /** Routes of paths with parameters. */
  #router = FindMyWay({ maxParamLength: MAX_PARAM_LENGTH, caseSensitive: true })
  /** Routes of paths without parameters, by path and method: they come first, and most requests need no walk through the tree. */
  #fixed = new Map<string, Map<string, CoreRoute>>()
  #methods = new Set<string>()
  #owners = new Map<string, string | null>()
  /** Second paths of routes. */
  #aliases = new Map<string, CoreRoute>()
  /** Patterns of templates that were looked up, at most one for each description. */
  #patterns = new Map<string, RegExp>()
  readonly list: CoreRoute[] = []

  /** Adds a route in Fastify's notation; throws when one of its methods is taken, naming the owner. */
  add(fastifyPath: string, route: CoreRoute): void {
    // Fastify makes a HEAD route for every GET; it is the same route.
    if (route.methods.length === 1 && route.methods[0] === 'HEAD') {
      const get =
        this.#aliases.get(fastifyPath) ??
        this.list.find(
          other => other.path === route.path && other.plugin === route.plugin && other.methods.includes('GET'),
        )
      if (get !== undefined) return this.#claim(fastifyPath, ['HEAD'], get)
    }
    this.#claim(fastifyPath, route.methods, route)
    if (!route.isFallback) this.list.push(route)
  }

  /** Serves a route at a second path too, which a route of its own may take. */
  addAlias(fastifyPath: string, route: CoreRoute): void {
    this.#aliases.set(fastifyPath, route)
    for (const method of route.methods)
      if (!this.#owners.has(keyOf(method, fastifyPath))) this.#place(fastifyPath, method, route)
  }

  #claim(fastifyPath: string, methods: readonly string[], route: CoreRoute): void {
    for (const method of methods) {
      const key = keyOf(method, fastifyPath)
      if (this.#owners.has(key)) {
        throw new Error(`${method} ${fastifyPath} is already registered by ${this.#owners.get(key) ?? 'the core'}`)
      }
    }
    for (const method of methods) {
      this.#owners.set(keyOf(method, fastifyPath), route.plugin)
      this.#methods.add(method)
      this.#place(fastifyPath, method, route)
    }
  }

  #place(fastifyPath: string, method: string, route: CoreRoute): void {
    if (/[:*%]/.test(fastifyPath)) this.#router.on(method as HTTPMethod, fastifyPath, noHandler, route)
    else this.#fixedOf(fastifyPath).set(method, route)
  }

  #fixedOf(path: string): Map<string, CoreRoute> {
    let routes = this.#fixed.get(path)
    if (routes === undefined) this.#fixed.set(path, (routes = new Map()))
    return routes
  }

  find(method: string, url: string): CoreRoute | null {
    const query = url.indexOf('?')
    const byPath = this.#fixed.get(query === -1 ? url : url.slice(0, query)) ?? this.#fixed.get(decodedPath(url) ?? '')
    const fixed = byPath?.get(method)
    return fixed ?? (this.#router.find(method as HTTPMethod, url)?.store as CoreRoute | undefined) ?? null
  }

  /** Methods that the path has (RFC 9110, 10.2.1), none for an unknown path. */
  methodsOf(url: string): string[] {
    const found = [...this.#methods].flatMap(method => {
      const route = this.find(method, url)
      return route === null ? [] : [{ method, route }]
    })
    // What a wildcard route serves below its prefix, only its descriptions know.
    const routes = [...new Set(found.map(({ route }) => route))]
    if (!routes.some(hasOwnPaths)) return found.map(({ method }) => method)
    const raw = url.split('?', 1)[0]!
    const paths = [raw, decodeParameters(raw)]
    const served = routes.map(route => ({
      route,
      operations: operationsOf(route).filter(({ template }) =>
        paths.some(path => this.#patternOf(template).test(path)),
      ),
    }))
    const templates = served.flatMap(({ operations }) => operations.map(({ template }) => template))
    return found.flatMap(({ method, route }) => {
      const { operations } = served.find(entry => entry.route === route)!
      if (!hasOwnPaths(route) && operations.length === 0) return [method]
      return operations.some(({ template, methods }) => takes(methods, method) && !isOverridden(template, templates))
        ? [method]
        : []
    })
  }

  #patternOf(template: string): RegExp {
    let pattern = this.#patterns.get(template)
    if (pattern === undefined)
      this.#patterns.set(template, (pattern = new RegExp(`^${templatePattern(template)}$`, 's')))
    return pattern
  }
}

/** As the router hands parameters to a handler: `%3A` is a colon, too. */
function decodeParameters(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** An operation of a route: the methods and the path of one of its descriptions. */
interface RouteOperation {
  template: string
  methods: readonly string[]
}

/** A wildcard route of several operations, each with a path in its description. */
function hasOwnPaths({ path, descriptions }: CoreRoute): boolean {
  return (
    path.includes('{*') &&
    descriptions.length > 0 &&
    descriptions.every(description => description.path !== undefined && description.path !== path)
  )
}

function operationsOf(route: CoreRoute): RouteOperation[] {
  if (!hasOwnPaths(route)) return [{ template: route.path, methods: route.methods }]
  return route.descriptions
    .filter(description => !onlyRefuses(description))
    .map(({ path, methods }) => ({ template: path!, methods: methods ?? route.methods }))
}

/** A description of errors alone is there for their wording: the methods are not those of the resource. */
function onlyRefuses({ responses }: RouteDescription): boolean {
  const statuses = Object.keys(responses ?? {})
  return statuses.length > 0 && statuses.every(status => /^[45]/.test(status))
}

/** HEAD is answered wherever GET is. */
function takes(methods: readonly string[], method: string): boolean {
  return methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))
}

/** `/tasks/{id}:cancel` is another resource than `/tasks/{id}`, whose parameter matches its path too. */
function isOverridden(template: string, others: readonly string[]): boolean {
  return others.some(other => templateShape(other).startsWith(`${templateShape(template)}:`))
}

/** Two routes with the same key are one to the router: names of parameters make no difference. */
function keyOf(method: string, fastifyPath: string): string {
  return `${method} ${fastifyPath.replace(/:[^/:()*-]+/g, ':')}`
}

function noHandler(): void {}
