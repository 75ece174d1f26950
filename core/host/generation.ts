/**
 * A generation: a complete Fastify instance with all routes, built while another one is running, and never changed after
 * that. It counts its open requests and sockets, and is closed when it has been replaced and the last one has ended.
 */
import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify'
import { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorForm } from '../contract/plugin.ts'
import { ResponseExtensions } from '../http/response/additions.ts'
import { AliasRegistry } from '../rules/alias-registry.ts'
import { headerText } from '../http/request/header.ts'
import type { ServerRequest, AbsentPlugin, RoutingGeneration } from '../http/request/types.ts'
import { type RequestContext, contextOf } from '../http/request/context.ts'
import { MAX_PARAM_LENGTH, RouteTable } from '../http/routes/route-table.ts'
import type { Exemptions } from '../http/routes/exemptions.ts'
import type { SvcResponse } from '../http/response/response.ts'
import type { FamiliarPaths } from '../http/routes/familiar-paths.ts'
import { HostMounts } from '../http/routes/host-mounts.ts'
import type { TlsNameHandler } from '../http/sockets/tls-names.ts'
import { PortList, type PortListOptions } from '../http/ports/wanted.ts'
import type { MediaTypeHandler } from '../http/listener/media-type-handlers.ts'
import { SOCKET_KINDS, WebSocketRoutes } from '../http/streams/websocket-routes.ts'
import { adoptWebSockets, type WebSocketServices } from '../http/streams/websockets.ts'
import { type CoreRoute, toTemplate } from '../http/routes/route-record.ts'
import { requestFactsOf } from '../http/response/send.ts'
import { sendRouteError, logWebSocketFailure, type RouteErrorServices } from '../http/response/route-errors.ts'
import { isBelow, isServedBelow } from '../fields/request-target.ts'
import type { Log } from '../log/log.ts'
import { ProtocolRegistry } from '../match/protocols.ts'
import type { DeclaredFaults } from '../rules/declared-faults.ts'
import { ResetRegistry } from '../rules/reset-registry.ts'
import { VerificationRegistry } from '../rules/verification-registry.ts'
import { GenerationRules } from '../rules/rule-entry.ts'
import { contentForRoute, contentOf } from '../http/request/decoded-body.ts'
import { StepRegistry } from '../rules/step-registry.ts'
import { replayRequest } from '../http/request/replayed-request.ts'
import { parseOnDemand, type BodyParsing } from './body-parsing.ts'
import { FallbackHandlers, isFallback } from './fallback-handlers.ts'

export interface GenerationOptions {
  number: number
  /** Maximum size of a request body in bytes. */
  bodyLimit: number
  /** Maximum sizes of a WebSocket message in bytes; larger ones close the socket with 1009. */
  maxWebSocketPayload: Record<'usual' | 'large', number>
  /** By the plugin that answers; null: the core. */
  exposedHeaders: ReadonlyMap<string | null, string>
  /** Value of `X-Svc-Replica`; null if the process is not a replica. */
  replica: string | null
  exemptions: Exemptions
  /** Path prefixes of plugins that are not enabled. */
  absent: ({ path: string } & AbsentPlugin)[]
  /** Paths of other servers for what the enabled plugins serve. */
  familiar: FamiliarPaths
  /** Failures that the enabled plugins declare. */
  faults: DeclaredFaults
  ports: PortListOptions
  websockets: WebSocketServices
  errors: RouteErrorServices
}

/** A route as Fastify reports it. */
type ReportedRoute = RouteOptions & { routePath: string; prefix: string }

/** The owner of a route. `plugin` and `paths` are null for the core, which may serve any path. */
export interface RouteOwner {
  plugin: string | null
  paths: readonly string[] | null
  log: Log
  /** The `protocol` label in the metrics; null: the protocol of the request. */
  area: string | null
}

export class Generation implements RoutingGeneration {
  readonly number: number
  sessionHeaders: readonly string[] = []
  notifyHosts: readonly string[] = []
  readonly resets = new ResetRegistry()
  readonly verifications = new VerificationRegistry()
  readonly rules: GenerationRules
  readonly app: FastifyInstance
  readonly routes = new RouteTable()
  readonly mediaTypeHandlers: MediaTypeHandler[] = []
  readonly responses = new ResponseExtensions()
  readonly aliases = new AliasRegistry()
  readonly tlsNames: TlsNameHandler[] = []
  readonly ports: PortList
  readonly hosts = new HostMounts()
  readonly #exposedHeaders: ReadonlyMap<string | null, string>
  readonly replica: string | null
  readonly fallbacks: FallbackHandlers
  readonly #parsing: BodyParsing
  /** Sorted by length, the longest path first. */
  #unroutedForms: { path: string; form: ErrorForm }[] = []
  #scopes: { record: CoreRoute; scope: FastifyInstance }[] = []
  readonly exemptions: Exemptions
  readonly #absent: GenerationOptions['absent']
  readonly #familiar: FamiliarPaths
  readonly #webSockets: WebSocketRoutes
  #handle: (request: ServerRequest, response: SvcResponse) => void = () => {}
  #server: Server | null = null
  #open = 0
  #isReplaced = false
  #closeCallbacks: { plugin: string | null; run: () => void | Promise<void> }[] = []
  #closed: Promise<void> | null = null
  /** Called once after the generation has been replaced and its last request has ended. */
  onDrained: () => void = () => {}

  constructor(options: GenerationOptions) {
    this.number = options.number
    this.ports = new PortList(options.ports)
    this.#exposedHeaders = options.exposedHeaders
    this.replica = options.replica
    this.exemptions = options.exemptions
    const isSeen = (path: string): boolean => !options.exemptions.has('faults', path)
    this.rules = new GenerationRules({
      protocols: new ProtocolRegistry(options.faults.statuses()),
      faults: options.faults,
      steps: new StepRegistry(),
      isSeen,
    })
    this.#webSockets = new WebSocketRoutes(options.websockets.memory)
    this.#familiar = options.familiar
    this.#absent = options.absent.toSorted((a, b) => b.path.length - a.path.length)
    this.app = Fastify({
      serverFactory: handler => {
        this.#handle = handler as never
        this.#server = new Server()
        return this.#server
      },
      // Fastify's logger adds two listeners to every response. The host sets `app.log` and `request.log` itself.
      logger: false,
      // The pipeline writes the access log.
      logController: new LogController({ disableRequestLogging: true }),
      // The host has its own timeout.
      pluginTimeout: 0,
      // The pipeline enforces the limit. Plugins read this value as their default.
      bodyLimit: Math.max(options.bodyLimit, 1),
      // The size of the request head already bounds the length of parameters.
      routerOptions: { maxParamLength: MAX_PARAM_LENGTH, caseSensitive: true },
      // Load mode generates none for it.
      genReqId: request => contextOf(request).knownRequestId ?? '',
    })
    this.#parsing = parseOnDemand(this.app)
    this.fallbacks = new FallbackHandlers(this.app, this.#parsing)
    for (const kind of SOCKET_KINDS)
      this.app.register(async app => {
        const server = await this.#webSockets.open(
          app,
          kind,
          {
            maxPayload: options.maxWebSocketPayload[kind === 'large' ? 'large' : 'usual'],
            handleProtocols: chooseSubprotocol,
          },
          (error, request) => logWebSocketFailure(error, request, options.errors.log),
        )
        adoptWebSockets(server, { generation: this.number, kind }, options.websockets)
      })
    this.app.addHook('onRequest', (request, reply, done) => {
      const context = contextOf(request.raw)
      if (context.stepCall !== null) {
        if (context.route !== null) request.log = reply.log = context.route.log.forRequest(context)
        request.body = context.body
        callStep(context.stepCall, request, reply, done)
        return
      }
      const { log, parsesBody } = context.route!
      request.log = reply.log = log.forRequest(context)
      if (parsesBody && context.codingError !== null) return done(context.codingError)
      if (!parsesBody) exposeBody(request, context)
      // Requests without a body are not read by the pipeline.
      else if (request.raw.readableEnded && context.upgrade === null)
        request.raw = replayRequest(request.raw, contentOf(context), context.decodedBody !== null)
      if (context.upgrade !== null) {
        moveHeaders(context, reply.raw as SvcResponse)
        request.ws = true
      }
      done()
    })
    this.app.setErrorHandler((error, request, reply) => sendRouteError(error, request, reply, options.errors))
  }

  exposedHeaders(plugin: string | null): string {
    return this.#exposedHeaders.get(plugin) ?? this.#exposedHeaders.get(null)!
  }

  /** Adds a route of a scope to the route table. Throws if the route exists, or is not below its plugin's paths. */
  addRoute({ plugin, paths, log, area }: RouteOwner, route: ReportedRoute, scope: FastifyInstance): void {
    const template = toTemplate(route.url)
    if (paths !== null && !paths.some(own => isServedBelow(template, own))) {
      throw new Error(`the route ${route.url} is not below any of the plugin's paths (${paths.join(', ')})`)
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
    // Fastify serves `/` in a scope with a prefix with and without the trailing slash, but reports only one route.
    if (route.routePath === '' && route.prefix && (route.prefixTrailingSlash ?? 'both') === 'both')
      this.routes.addAlias(`${route.url}/`, record)
    this.#scopes.push({ record, scope })
  }

  /** Starts Fastify. No routes can be added after this. */
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

  absentOwner(path: string): AbsentPlugin | null {
    return this.#absent.find(absent => isServedBelow(path, absent.path)) ?? null
  }

  familiarPath(path: string): string | null {
    return this.#familiar.find(path)
  }

  familiarTarget(request: ServerRequest, path: string): string | null {
    const facts = { method: request.method ?? 'GET', header: (name: string) => headerText(request.headers, name) }
    return this.#familiar.served(facts, path)
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

  /** Number of open requests and sockets. */
  get openCount(): number {
    return this.#open
  }

  /** Call it when a newer generation serves all new requests. */
  replace(): void {
    this.#isReplaced = true
    if (this.#open === 0) this.onDrained()
  }

  onClose(plugin: string | null, run: () => void | Promise<void>): void {
    this.#closeCallbacks.push({ plugin, run })
  }

  /** Runs the close callbacks, newest first, and closes Fastify. Errors are passed to `report`. */
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

/** Copies the default headers to the response that the WebSocket server created. */
function moveHeaders(context: RequestContext, response: SvcResponse): void {
  for (const [name, value] of Object.entries(context.response.getHeaders()))
    if (value !== undefined) response.setHeader(name, value)
  context.response = response
}

/** Sets the body of a route that does not parse it. Reading one that can't be decoded throws. */
function exposeBody(request: FastifyRequest, context: RequestContext): void {
  if (context.codingError === null) {
    request.body = contentOf(context)
    return
  }
  Object.defineProperty(request, 'body', { configurable: true, get: () => contentForRoute(context) })
}

/** The log of a route, with the route's log options. */
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

/** The subprotocol that the route selects, otherwise the first one offered (RFC 6455, 4.2.2). */
function chooseSubprotocol(offered: Set<string>, request: ServerRequest): string | false {
  const context = contextOf(request)
  const choose = context.description?.subprotocol
  if (choose !== undefined) return choose([...offered], requestFactsOf(context))
  return offered.values().next().value ?? false
}

/** Answers in place of the route. A step that sends nothing is an error of its plugin. */
function callStep(
  call: NonNullable<RequestContext['stepCall']>,
  request: FastifyRequest,
  reply: FastifyReply,
  fail: (error: Error) => void,
): void {
  const check = (): void => {
    if (!reply.sent) fail(new Error('a step of a rule sent no response'))
  }
  // An asynchronous error is one of the step, and a synchronous one as well.
  Promise.resolve()
    .then(() => call(request, reply))
    .then(check, fail)
}
