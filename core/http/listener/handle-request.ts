/**
 * The request handler of the listeners. It validates the request head, passes media types with a handler (such as gRPC)
 * to that handler, and runs everything else through the pipeline of the current generation.
 */
import { ServerResponse, type IncomingMessage } from 'node:http'
import { constants } from 'node:http2'
import type { Socket } from 'node:net'
import { sendResponse } from '../response/send.ts'
import { beginCallSpan } from './call-span.ts'
import { RequestContext } from '../request/context.ts'
import {
  isHttp2,
  rewriteTarget,
  type ListenerFacts,
  type ServerRequest,
  type RoutingGeneration,
} from '../request/types.ts'
import { withoutBasePath } from './base-path.ts'
import type { ConnectionActivity } from '../sockets/connection-activity.ts'
import { badRequest } from '../response/error-bodies.ts'
import { Handshake } from '../sockets/handshake.ts'
import type { ListenerHandlers } from './listeners.ts'
import { authorityOfTarget, decodedPath, isBelow, originForm } from '../../fields/request-target.ts'
import { runPipeline } from '../pipeline/pipeline.ts'
import type { CoreRoute } from '../routes/route-record.ts'
import type { PipelineServices } from '../pipeline/stage.ts'
import { onLossWhileQueued } from '../sockets/pipelined-response.ts'
import { headProblem } from './head-validation.ts'
import { requestIdOf, type RequestFactsSource } from '../request/request-facts.ts'
import { createHttp1Response, type SvcResponse } from '../response/response.ts'
import { replayWithoutUpgrade, restoreUpgradeHeaders } from './ignored-upgrade.ts'
import { rejectOnGrpcPort, mediaTypeHandlerFor, type MediaTypeHandler } from './media-type-handlers.ts'
import { takeSessionPrefix } from '../../fields/session-prefix.ts'
import type { ServingOptions } from './served-arrival.ts'
import { createTunnels, type EnterListener } from './tunnel.ts'
import { markSocketInUse, rejectSocket } from '../sockets/socket-owner.ts'

const SLASH = 0x2f

/** Node creates no response for an upgrade; this one is used to reject it. */
const HandshakeResponse = createHttp1Response(ServerResponse)

/** What the request handler needs from the host. */
export interface CurrentGeneration {
  current(): RoutingGeneration & { mediaTypeHandlers: readonly MediaTypeHandler[] }
}

/** How a request arrived. */
interface Arrival {
  listener: ListenerFacts
  generation: RoutingGeneration
  /** Of a target in absolute form. */
  authority: string | null
  /** The session in the path prefix. */
  session: string | null
}

export function createRequestHandler(
  host: CurrentGeneration,
  services: PipelineServices,
  facts: RequestFactsSource,
  enterListener: EnterListener,
): ListenerHandlers & Pick<ServingOptions, 'start'> {
  const { basePath } = services.config

  /** The target without the base path; the received target if it does not start with it. */
  function targetOf(request: ServerRequest, generation: RoutingGeneration): string {
    const url = request.url ?? '/'
    return basePath === null
      ? url
      : withoutBasePath(url, basePath, path => isServed(generation.routes.find('GET', path)))
  }

  /** The route of a target; on a host, listener or prefix that a plugin serves whole, the one below the plugin's mount. */
  function routeOf(
    request: ServerRequest,
    url: string,
    { path, authority, listener }: { path: string; authority: string | null; listener: ListenerFacts },
    generation: RoutingGeneration,
  ): Pick<RequestContext, 'routeTarget' | 'route' | 'mount'> {
    const { hosts, exemptions, routes } = generation
    const method = request.method ?? 'GET'
    if (listener.mount !== null && !isBelow(path, '/_svc')) {
      const { mount } = listener
      const routeTarget = mount.routed(originForm(url) ?? url)
      return { routeTarget, route: routes.find(method, routeTarget), mount }
    }
    const isAlwaysHere = hosts.isEmpty || isBelow(path, '/_svc') || exemptions.has('hosts', path)
    const { scheme, port } = listener
    const mount =
      (isAlwaysHere ? null : hosts.mountOf(facts.origin({ headers: request.headers, authority, scheme, port }).host)) ??
      hosts.prefixOf(path)
    if (mount !== null) {
      const routeTarget = mount.routed(originForm(url) ?? url)
      return { routeTarget, route: routes.find(method, routeTarget), mount }
    }
    if (hosts.isReserved(path)) return { routeTarget: url, route: null, mount: null }
    const route = routes.find(method, url)
    const elsewhere = isServed(route) ? null : generation.familiarTarget(request, path)
    // A path that exists here, if only with other methods, keeps its meaning.
    if (elsewhere === null || routes.methodsOf(url).length > 0) return { routeTarget: url, route, mount: null }
    const routeTarget = elsewhere + queryOf(url)
    return { routeTarget, route: routes.find(method, routeTarget), mount: null }
  }

  function enter(
    request: ServerRequest,
    response: SvcResponse,
    listener: ListenerFacts,
    activity: ConnectionActivity | null,
    expectsContinue: boolean,
  ): void {
    // The connection may have closed in the meantime: there is nobody to respond to, and no close event will follow.
    if (isHttp2(request) && request.stream.destroyed) return
    restoreUpgradeHeaders(request)
    const generation = host.current()
    const authority = authorityOfTarget(request.url ?? '/')
    const { target, session } = withoutSession(targetOf(request, generation))
    rewriteTarget(request, target)
    const problem = headProblem(request)
    const arrival = { listener, generation, authority, session }
    const context = start(request, response, arrival, null, activity)
    context.expectsContinue = expectsContinue
    if (problem !== null) {
      rejectSocket(request.socket)
      sendResponse(context, {
        status: 400,
        headers: { 'X-Request-Id': requestIdOf(request), Connection: 'close' },
        body: badRequest(problem),
      })
      return
    }
    const mediaTypeHandler = mediaTypeHandlerFor(
      generation.mediaTypeHandlers,
      request,
      listener,
      services.config.grpcOnHttp,
    )
    if (mediaTypeHandler !== null) {
      context.knownRequestId = requestIdOf(request)
      if (services.tracer !== null) beginCallSpan(context, services.tracer)
      mediaTypeHandler(request, response as never, {
        listener: listener.kind,
        socket: request.socket,
        clientIp: context.clientIp,
      })
    } else if (listener.kind === 'grpc') rejectOnGrpcPort(context)
    else runPipeline(context, services)
  }

  function start(
    request: ServerRequest,
    response: SvcResponse,
    { listener, generation, authority, session }: Arrival,
    upgrade: Handshake | null,
    activity: ConnectionActivity | null,
  ): RequestContext {
    const url = request.url ?? '/'
    const path = decodedPath(url)
    const routed =
      path === null
        ? { routeTarget: url, route: null, mount: null }
        : routeOf(request, url, { path, authority, listener }, generation)
    const context = new RequestContext({
      request,
      response,
      listener,
      generation,
      facts,
      ...routed,
      authority,
      path,
      upgrade,
      activity,
      pathSession: session,
    })
    context.unsentMemory = services.unsent
    response.context = context
    generation.retain()
    if (upgrade !== null) {
      upgrade.socket.once('close', () => context.close(true))
    } else {
      response.on('close', endContext)
      onLossWhileQueued(response, () => context.close(false))
    }
    return context
  }

  /**
   * A handshake for a WebSocket route is processed as such; any other upgrade is handled as a plain request (RFC 9110,
   * 7.8).
   */
  function upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    listener: ListenerFacts,
    replay: (socket: Socket) => void,
  ): void {
    const generation = host.current()
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket' && headProblem(request) === null
    const authority = authorityOfTarget(request.url ?? '/')
    const { target, session } = withoutSession(targetOf(request, generation))
    const path = isWebSocket ? decodedPath(target) : null
    const route = path === null ? null : routeOf(request, target, { path, authority, listener }, generation).route
    if (route === null || !route.websocket) {
      replayWithoutUpgrade(request, socket, head, replay)
      return
    }
    rewriteTarget(request, target)
    markSocketInUse(socket)
    socket.on('error', () => socket.destroy())
    runPipeline(
      start(
        request,
        new HandshakeResponse(request),
        { listener, generation, authority, session },
        new Handshake(socket, head),
        null,
      ),
      services,
    )
  }

  /** A request that the tap has claimed, and that its route answers. */
  function startServed(request: IncomingMessage, response: SvcResponse, listener: ListenerFacts): RequestContext {
    const generation = host.current()
    const authority = authorityOfTarget(request.url ?? '/')
    const { target, session } = withoutSession(targetOf(request, generation))
    rewriteTarget(request, target)
    const context = start(request, response, { listener, generation, authority, session }, null, null)
    context.unsentMemory = null
    return context
  }

  const connect = createTunnels({ current: () => host.current(), services, facts, enter: enterListener })
  return { request: enter, upgrade, connect, start: startServed }
}

/**
 * Whether the whole response was sent. An HTTP/2 response does not report this, but its stream does: ended without a
 * reset (RFC 9113, 7).
 */
function isFinished(response: SvcResponse): boolean {
  if (!('stream' in response)) return response.writableFinished
  return response.stream.writableEnded && response.stream.rstCode === constants.NGHTTP2_NO_ERROR
}

/** The target without a session prefix, and the session; the target as it is if it has none. */
function withoutSession(url: string): { target: string; session: string | null } {
  const target = url.charCodeAt(0) === SLASH ? url : originForm(url)
  return (target === null ? null : takeSessionPrefix(target)) ?? { target: url, session: null }
}

/** The query of a target with its question mark; empty without one. */
function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

/** Whether a route serves the request, as opposed to a fallback that only explains the 404. */
function isServed(route: CoreRoute | null): boolean {
  return route !== null && !route.isFallback
}

/** One function shared by all responses. */
function endContext(this: SvcResponse): void {
  this.context!.close(isFinished(this))
}
