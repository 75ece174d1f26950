/**
 * `setNotFoundHandler` of plugins. The pipeline answers what no route matches before Fastify sees it, and all plugins
 * share one path space, so a handler becomes a route below the paths of its plugin, or below the prefix of its scope.
 * There it has the hooks and decorators of its scope.
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
  /** Without a slash at the end. */
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
    // What `reply.callNotFound()` runs, in the scope of the route that has called it.
    app.setNotFoundHandler((request, reply) => this.#answer(request, reply))
  }

  /** Lets a plugin's scope and those below set handlers for what is below the plugin's paths. */
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
      // The rest of the server has other owners.
      if (path === '' || path.includes('{') || path.includes(':')) continue
      if (this.#fallbacks.some(other => other.path === path))
        throw new Error(`a not-found handler is already set below ${path}`)
      this.#fallbacks.push({ scope, path, options, handler })
    }
  }

  /** To be called when all other routes are there: what is taken stays as it is. */
  addRoutes(): void {
    for (const { scope, path, options, handler } of this.#fallbacks) {
      const url = `${path}/*`
      const method = scope.supportedMethods.filter(name => !scope.hasRoute({ method: name as never, url }))
      if (method.length === 0) continue
      const config = { [FALLBACK]: true }
      // What is sent to a path that does not exist is a 404, whether or not it can be parsed.
      this.#parsing.withoutParsing(scope).route({
        ...options,
        method: method as never,
        url: url.slice(scope.prefix.length),
        config: config as never,
        handler: handler as never,
      })
    }
  }

  #answer(request: FastifyRequest, reply: FastifyReply): unknown {
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

/** Whether a route is one of these. */
export function isFallback({ config }: RouteOptions): boolean {
  return config !== undefined && FALLBACK in config
}
