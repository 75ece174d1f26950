/**
 * `setNotFoundHandler` of plugins. The pipeline handles requests without a route before Fastify sees them, and all plugins
 * share one server. Therefore a handler becomes a wildcard route below the paths of its plugin, or below the prefix of its
 * scope, with the hooks and decorators of the scope.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { BodyParsing } from './body-parsing.ts'
import { contextOf } from '../http/request/context.ts'
import { sendUnrouted } from '../http/pipeline/pipeline.ts'
import { isBelow } from '../fields/request-target.ts'

type Handler = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => unknown
type Options = Pick<RouteOptions, 'preHandler' | 'preValidation'>
interface Fallback {
  scope: FastifyInstance
  /** Without a trailing slash. */
  path: string
  options: Options
  handler: Handler
}

const FALLBACK = Symbol('svc.fallback')

export class FallbackHandlers {
  readonly #fallbacks: Fallback[] = []

  readonly #parsing: BodyParsing

  constructor(app: FastifyInstance, parsing: BodyParsing) {
    this.#parsing = parsing
    // `reply.callNotFound()` runs this in the scope of the route that called it.
    app.setNotFoundHandler((request, reply) => this.#handleNotFound(request, reply))
  }

  /** Supports `setNotFoundHandler` in a plugin's scope and its child scopes, for paths below the plugin's paths. */
  serve(app: FastifyInstance, paths: readonly string[]): void {
    const add = (scope: FastifyInstance, options: Options, handler: Handler): void =>
      this.#add(scope, paths, options, handler)
    const setNotFoundHandler = function (
      this: FastifyInstance,
      first?: Options | Handler,
      second?: Handler,
    ): FastifyInstance {
      const handler = typeof first === 'function' ? first : second
      if (handler !== undefined) add(this, typeof first === 'object' ? first : {}, handler)
      return this
    }
    app.setNotFoundHandler = setNotFoundHandler as FastifyInstance['setNotFoundHandler']
  }

  #add(scope: FastifyInstance, paths: readonly string[], options: Options, handler: Handler): void {
    for (const own of scope.prefix === '' ? paths : [scope.prefix]) {
      const path = own.replace(/\/$/, '')
      // A handler for these would affect other plugins.
      if (path === '' || path.includes('{') || path.includes(':')) continue
      if (this.#fallbacks.some(other => other.path === path))
        throw new Error(`a not-found handler is already set for ${path}`)
      this.#fallbacks.push({ scope, path, options, handler })
    }
  }

  /** Adds the handlers as routes. Call it after all other routes have been added; these take precedence. */
  addRoutes(): void {
    for (const { scope, path, options, handler } of this.#fallbacks) {
      const url = `${path}/*`
      const method = scope.supportedMethods.filter(name => !scope.hasRoute({ method: name as never, url }))
      if (method.length === 0) continue
      const config = { [FALLBACK]: true }
      // A request to an unknown path is a 404 even if its body can't be parsed.
      this.#parsing.withoutParsing(scope).route({
        ...options,
        method: method as never,
        url: url.slice(scope.prefix.length),
        config: config as never,
        handler: handler as never,
      })
    }
  }

  #handleNotFound(request: FastifyRequest, reply: FastifyReply): unknown {
    const context = contextOf(request)
    const path = context.path ?? context.url
    const closest = this.#fallbacks
      .filter(other => isBelow(path, other.path) || path === other.path)
      .sort((a, b) => b.path.length - a.path.length)[0]
    if (closest !== undefined) return closest.handler.call(closest.scope, request, reply)
    reply.hijack()
    sendUnrouted(context, path)
    return undefined
  }
}

/** Whether a route was added for a not-found handler. */
export function isFallback({ config }: RouteOptions): boolean {
  return config !== undefined && FALLBACK in config
}
