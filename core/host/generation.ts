/**
 * One generation: a whole Fastify instance with all its routes, built beside the running one and never changed again.
 * It counts the requests and sockets that began in it and is closed when it has been replaced and the last one is over.
 */
import Fastify, { LogController } from 'fastify'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorForm } from '../contract/plugin.ts'
import type { RequestContext } from '../http/request/context.ts'
import type { ServerRequest } from '../http/request/types.ts'
import { contextOf } from '../http/request/context.ts'
import { MAX_PARAM_LENGTH, RouteTable } from '../http/pipeline/route-table.ts'
import type { RoutingGeneration } from '../http/request/types.ts'
import type { Exemptions } from '../http/pipeline/exemptions.ts'
import type { CoreRoute } from '../http/pipeline/route-record.ts'
import type { SvcResponse } from '../http/response/response.ts'
import type { MediaTypeHandler } from '../http/listener/media-type-handlers.ts'
import { WebSocketRoutes } from '../http/streams/websocket-routes.ts'
import { adoptWebSockets } from '../http/streams/websockets.ts'
import type { WebSocketServices } from '../http/streams/websockets.ts'
import { toTemplate } from '../http/pipeline/route-record.ts'
import { sendRouteError, logWebSocketFailure } from '../http/pipeline/route-errors.ts'
import type { RouteErrorServices } from '../http/pipeline/route-errors.ts'
import { isBelow } from '../fields/request-target.ts'
import type { Log } from '../log/log.ts'
import { replayRequest } from '../http/request/replayed-request.ts'
import { parseOnDemand } from './body-parsing.ts'
import type { BodyParsing } from './body-parsing.ts'
import { FallbackHandlers, isFallback } from './fallback-handlers.ts'

export interface GenerationOptions {
  number: number
  /** Bytes of a request body. */
  bodyLimit: number
  /** Bytes of a WebSocket message; one more closes with 1009. */
  maxWebSocketPayload: number
  exposedHeaders: string
  exemptions: Exemptions
  /** Prefixes of plugins that are not enabled, for the 404 that names them. */
  absent: { path: string; name: string; state: 'disabled' | 'failed' }[]
  websockets: WebSocketServices
  errors: RouteErrorServices
}

/** A route as Fastify reports it. */
type ReportedRoute = RouteOptions & { routePath: string; prefix: string }

/** Whose a route is; null: the core's own, which may serve any path. */
export interface RouteOwner {
  plugin: string | null
  paths: readonly string[] | null
  log: Log
  /** Counted under it in the metrics; null: as what it is. */
  area: string | null
}

export class Generation implements RoutingGeneration {
  readonly number: number
  readonly app: FastifyInstance
  readonly routes = new RouteTable()
  readonly mediaTypeHandlers: MediaTypeHandler[] = []
  readonly exposedHeaders: string
  readonly fallbacks: FallbackHandlers
  readonly #parsing: BodyParsing
  /** The longest path first. */
  #unroutedForms: { path: string; form: ErrorForm }[] = []
  #scopes: { record: CoreRoute; scope: FastifyInstance }[] = []
  readonly exemptions: Exemptions
  readonly #absent: GenerationOptions['absent']
  readonly #webSockets: WebSocketRoutes
  #handle: (request: ServerRequest, response: SvcResponse) => void = () => {}
  #server: Server | null = null
  #open = 0
  #isReplaced = false
  #closeCallbacks: { plugin: string | null; run: () => void | Promise<void> }[] = []
  #closed: Promise<void> | null = null
  /** Called once when the last request is over after the replacement. */
  onDrained: () => void = () => {}

  constructor(options: GenerationOptions) {
    this.number = options.number
    this.exposedHeaders = options.exposedHeaders
    this.exemptions = options.exemptions
    this.#webSockets = new WebSocketRoutes(options.websockets.memory)
    this.#absent = options.absent.toSorted((a, b) => b.path.length - a.path.length)
    this.app = Fastify({
      serverFactory: handler => {
        this.#handle = handler as never
        this.#server = new Server()
        return this.#server
      },
      // A logger of Fastify's would put two listeners on every response; `app.log` and `request.log` are set by the
      // host.
      logger: false,
      // The access log is the pipeline's.
      logController: new LogController({ disableRequestLogging: true }),
      // The host has its own patience, and its own words when it ends.
      pluginTimeout: 0,
      // The pipeline has held the limit already; plugins read it as their default.
      bodyLimit: Math.max(options.bodyLimit, 1),
      // Our own limits hold: the pipeline has read the body, and paths are bounded by the request head.
      routerOptions: { maxParamLength: MAX_PARAM_LENGTH, caseSensitive: true },
      genReqId: request => contextOf(request).requestId,
    })
    this.#parsing = parseOnDemand(this.app)
    this.fallbacks = new FallbackHandlers(this.app, this.#parsing)
    this.app.register(async app =>
      this.#webSockets.open(
        app,
        { maxPayload: options.maxWebSocketPayload, handleProtocols: chooseSubprotocol },
        (error, request) => logWebSocketFailure(error, request, options.errors.log),
      ),
    )
    this.app.after(() => adoptWebSockets(this.#webSockets.server, this.number, options.websockets))
    this.app.addHook('onRequest', (request, reply, done) => {
      const context = contextOf(request.raw)
      const { log, parsesBody } = context.route!
      request.log = reply.log = log.forRequest(context)
      if (!parsesBody) request.body = context.body
      // A request without a body has not been read.
      else if (request.raw.readableEnded && context.upgrade === null)
        request.raw = replayRequest(request.raw, context.body)
      if (context.upgrade !== null) {
        moveHeaders(context, reply.raw as SvcResponse)
        request.ws = true
      }
      done()
    })
    this.app.setErrorHandler((error, request, reply) => sendRouteError(error, request, reply, options.errors))
  }

  /** Takes a route that is added to a scope; throws when it is taken or its owner may not serve it. */
  addRoute({ plugin, paths, log, area }: RouteOwner, route: ReportedRoute, scope: FastifyInstance): void {
    const template = toTemplate(route.url)
    if (paths !== null && !paths.some(path => isBelow(template, path.replace(/\/$/, '')) || template === path)) {
      throw new Error(`the route ${route.url} lies below none of the plugin's paths (${paths.join(', ')})`)
    }
    const methods = (Array.isArray(route.method) ? route.method : [route.method]).map(method => method.toUpperCase())
    const websocket = this.#webSockets.adapt(route)
    const { descriptions = [] } = (route.config ?? {}) as { descriptions?: CoreRoute['descriptions'] }
    const record: CoreRoute = {
      plugin,
      path: template,
      methods,
      descriptions,
      websocket,
      area,
      parsesBody: false,
      bodyLimit: route.bodyLimit ?? null,
      log: logOf(route, log),
      isFallback: isFallback(route),
    }
    this.routes.add(route.url, record)
    // `/` below a prefix is served with and without the slash; Fastify reports only one of the two.
    if (route.routePath === '' && route.prefix && (route.prefixTrailingSlash ?? 'both') === 'both')
      this.routes.addAlias(`${route.url}/`, record)
    this.#scopes.push({ record, scope })
  }

  /** Fastify's own start; no route can be added any more. */
  async ready(): Promise<void> {
    await this.app.ready()
    // A scope may have registered its parsers after its routes.
    for (const { record, scope } of this.#scopes.splice(0)) record.parsesBody = this.#parsing.parses(scope)
  }

  handle(request: ServerRequest, response: SvcResponse): void {
    this.#handle(request, response)
  }

  upgrade(request: ServerRequest, socket: Socket, head: Buffer): void {
    this.#server!.emit('upgrade', request, socket, head)
  }

  absentOwner(path: string): { name: string; state: 'disabled' | 'failed' } | null {
    return this.#absent.find(absent => isBelow(path, absent.path.replace(/\/$/, '')) || path === absent.path) ?? null
  }

  addUnroutedForm(path: string, form: ErrorForm): void {
    this.#unroutedForms = [...this.#unroutedForms, { path, form }].toSorted((a, b) => b.path.length - a.path.length)
  }

  unroutedForm(path: string): ErrorForm | null {
    return this.#unroutedForms.find(unrouted => isBelow(path, unrouted.path))?.form ?? null
  }

  retain(): void {
    this.#open++
  }

  release(): void {
    this.#open--
    if (this.#open === 0 && this.#isReplaced) this.onDrained()
  }

  /** Requests and sockets that are still open. */
  get openCount(): number {
    return this.#open
  }

  /** A newer generation has taken over. */
  replace(): void {
    this.#isReplaced = true
    if (this.#open === 0) this.onDrained()
  }

  onClose(plugin: string | null, run: () => void | Promise<void>): void {
    this.#closeCallbacks.push({ plugin, run })
  }

  /** Runs what was left for the end, newest first; errors are handed to `report` and stop nothing. */
  close(report: (plugin: string | null, error: unknown) => void): Promise<void> {
    return (this.#closed ??= this.#close(report))
  }

  async #close(report: (plugin: string | null, error: unknown) => void): Promise<void> {
    for (const { plugin, run } of this.#closeCallbacks.toReversed()) {
      try {
        await run()
      } catch (error) {
        report(plugin, error)
      }
    }
    await this.app.close().catch(error => report(null, error))
  }
}

/** The WebSocket server makes a response of its own; what every response has goes along. */
function moveHeaders(context: RequestContext, response: SvcResponse): void {
  for (const [name, value] of Object.entries(context.response.getHeaders()))
    if (value !== undefined) response.setHeader(name, value)
  context.response = response
}

/** The log of a route, with the options that Fastify has for it. */
function logOf({ logLevel, logSerializers }: RouteOptions, log: Log): Log {
  if (!logLevel && logSerializers === undefined) return log
  return log.child(
    {},
    {
      ...(logLevel ? { level: logLevel } : {}),
      ...(logSerializers === undefined ? {} : { serializers: logSerializers }),
    },
  )
}

/** The route's own choice, else the first that was offered (RFC 6455, 4.2.2). */
function chooseSubprotocol(offered: Set<string>, request: ServerRequest): string | false {
  const choose = contextOf(request).description?.subprotocol
  if (choose !== undefined) return choose([...offered])
  return offered.values().next().value ?? false
}
