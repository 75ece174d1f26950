/** The routes of a generation as the pipeline sees them: found before Fastify routes, so that every layer knows them. */
import FindMyWay from 'find-my-way'
import type { HTTPMethod } from 'find-my-way'
import { decodedPath } from '../../fields/request-target.ts'
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
  readonly list: CoreRoute[] = []

  /** Adds a route in Fastify's notation; throws when one of its methods is taken, naming the owner. */
  add(fastifyPath: string, route: CoreRoute): void {
    // Fastify makes a HEAD route for every GET; it is the same route.
    if (route.methods.length === 1 && route.methods[0] === 'HEAD') {
      const get = this.#aliases.get(fastifyPath) ?? this.list.find(other => other.path === route.path && other.plugin === route.plugin && other.methods.includes('GET'))
      if (get !== undefined) return this.#claim(fastifyPath, ['HEAD'], get)
    }
    this.#claim(fastifyPath, route.methods, route)
    if (!route.isFallback) this.list.push(route)
  }

  /** Serves a route at a second path too, which a route of its own may take. */
  addAlias(fastifyPath: string, route: CoreRoute): void {
    this.#aliases.set(fastifyPath, route)
    for (const method of route.methods) if (!this.#owners.has(keyOf(method, fastifyPath))) this.#place(fastifyPath, method, route)
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
    if (routes === undefined) this.#fixed.set(path, routes = new Map())
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
    return [...this.#methods].filter(method => this.find(method, url) !== null)
  }
}

/** Two routes with the same key are one to the router: names of parameters make no difference. */
function keyOf(method: string, fastifyPath: string): string {
  return `${method} ${fastifyPath.replace(/:[^/:()*-]+/g, ':')}`
}

function noHandler(): void {}
