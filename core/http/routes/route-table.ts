/**
 * The routes of a generation, as seen by the pipeline. They are looked up before Fastify routes the request, so that
 * every layer knows the route.
 */
import FindMyWay, { type HTTPMethod } from 'find-my-way'
import { templatePattern, templateShape } from '../../toolkit/path-template.ts'
import { memoize } from '../../collections/bounded-map.ts'
import { decodedPath } from '../../fields/request-target.ts'
import type { RouteDescription } from '../../contract/plugin.ts'
import type { CoreRoute, RouteLookup } from './route-record.ts'

/** Maximum length of a path parameter; Fastify's default of 100 would reject ordinary base64 values. */
export const MAX_PARAM_LENGTH = 16_384
/** Paths whose methods are remembered. */
const MEMOIZED_PATHS = 256

export class RouteTable implements RouteLookup {
  /** Routes with path parameters. */
  readonly #router = FindMyWay({ maxParamLength: MAX_PARAM_LENGTH, caseSensitive: true })
  /**
   * Those that are not in the router yet, by method and key. They are put there before its first look-up of the method: most of them
   * are for methods that few clients use, and building all trees is a noticeable part of the start.
   */
  readonly #waiting = new Map<string, Map<string, PlacedRoute>>()
  /**
   * Routes without path parameters, by path and method. They are looked up first, so that most requests need no walk
   * through the tree.
   */
  #fixed = new Map<string, Map<string, CoreRoute>>()
  #methods = new Set<string>()
  #owners = new Map<string, string | null>()
  /** Aliases of routes. */
  #aliases = new Map<string, CoreRoute>()
  /** Compiled patterns of templates, at most one per description. */
  #patterns = new Map<string, RegExp>()
  /**
   * Asked for each request to a path of another server that a plugin serves, and takes one look-up for each method. Null until it is
   * asked again.
   */
  #knownMethods: ((path: string) => readonly string[]) | null = null
  readonly list: CoreRoute[] = []

  /** Adds a route in Fastify's notation; throws if one of its methods is taken, and names the owner. */
  add(fastifyPath: string, route: CoreRoute): void {
    // Fastify adds a HEAD route for every GET; it is the same route.
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

  /** Serves a route at an alias path; a regular route may replace it. */
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
    this.#knownMethods = null
    if (/[:*%]/.test(fastifyPath)) mapAt(this.#waiting, method).set(keyOf(method, fastifyPath), { fastifyPath, route })
    else mapAt(this.#fixed, fastifyPath).set(method, route)
  }

  /** The router has all routes of the method afterwards. */
  #build(method: string): void {
    const waiting = this.#waiting.get(method)
    if (waiting === undefined) return
    this.#waiting.delete(method)
    for (const { fastifyPath, route } of waiting.values())
      this.#router.on(method as HTTPMethod, fastifyPath, noHandler, route)
  }

  find(method: string, url: string): CoreRoute | null {
    const query = url.indexOf('?')
    const byPath = this.#fixed.get(query === -1 ? url : url.slice(0, query)) ?? this.#fixed.get(decodedPath(url) ?? '')
    const fixed = byPath?.get(method)
    if (fixed !== undefined) return fixed
    this.#build(method)
    return (this.#router.find(method as HTTPMethod, url)?.store as CoreRoute | undefined) ?? null
  }

  /** Methods supported by the path (RFC 9110, 10.2.1); empty for an unknown path. */
  methodsOf(url: string): readonly string[] {
    this.#knownMethods ??= memoize(MEMOIZED_PATHS, path => this.#findMethods(path))
    return this.#knownMethods(url.split('?', 1)[0]!)
  }

  #findMethods(url: string): readonly string[] {
    const found = [...this.#methods].flatMap(method => {
      const route = this.find(method, url)
      return route === null ? [] : [{ method, route }]
    })
    // Only its descriptions tell what a wildcard route serves below its prefix.
    const routes = [...new Set(found.map(({ route }) => route))]
    if (!routes.some(hasOwnPaths)) return found.map(({ method }) => method)
    const paths = [url, decodeParameters(url)]
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

/** Decoded as the router does for handlers: `%3A` is a colon, too. */
function decodeParameters(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** An operation of a route: the methods and the path of one description. */
interface RouteOperation {
  template: string
  methods: readonly string[]
}

/** A wildcard route with several operations, each with a path in its description. */
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

/** A description that only covers errors exists for their format: its methods are not those of the resource. */
function onlyRefuses({ responses }: RouteDescription): boolean {
  const statuses = Object.keys(responses ?? {})
  return statuses.length > 0 && statuses.every(status => /^[45]/.test(status))
}

/** HEAD is supported wherever GET is. */
function takes(methods: readonly string[], method: string): boolean {
  return methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))
}

/** `/tasks/{id}:cancel` is a different resource than `/tasks/{id}`, although that path matches it too. */
function isOverridden(template: string, others: readonly string[]): boolean {
  return others.some(other => templateShape(other).startsWith(`${templateShape(template)}:`))
}

/** Routes with the same key are identical to the router: parameter names make no difference. */
function keyOf(method: string, fastifyPath: string): string {
  return `${method} ${fastifyPath.replace(/:[^/:()*-]+/g, ':')}`
}

interface PlacedRoute {
  fastifyPath: string
  route: CoreRoute
}

function mapAt<Value>(byKey: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  let map = byKey.get(key)
  if (map === undefined) byKey.set(key, (map = new Map()))
  return map
}

function noHandler(): void {}
