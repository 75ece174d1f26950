/**
 * The entrance: what the listeners do with a request before it is on its way. The head is checked, media types that a
 * plugin has taken over leave here, everything else gets its context and enters the pipeline of the current generation.
 */
import { ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { answer } from '../response/send.ts'
import { beginCallSpan } from '../pipeline/call-span.ts'
import { RequestContext } from '../request/context.ts'
import { isHttp2 } from '../request/types.ts'
import { withoutBasePath } from './base-path.ts'
import type { ConnectionActivity } from './connection-activity.ts'
import type { ListenerFacts, ServerRequest } from '../request/types.ts'
import { badRequest } from '../pipeline/error-bodies.ts'
import { Handshake } from './handshake.ts'
import type { ListenerHandlers } from './listeners.ts'
import { decodedPath } from '../../fields/request-target.ts'
import { runPipeline } from '../pipeline/pipeline.ts'
import type { CoreRoute } from '../pipeline/route-record.ts'
import type { PipelineServices } from '../pipeline/stage.ts'
import { onLossWhileQueued } from './pipelined-response.ts'
import { headProblem } from './head-validation.ts'
import { requestIdOf } from '../request/request-facts.ts'
import type { RequestFactsSource } from '../request/request-facts.ts'
import { createHttp1Response } from '../response/response.ts'
import type { SvcResponse } from '../response/response.ts'
import type { RoutingGeneration } from '../request/types.ts'
import { replayWithoutUpgrade, restoreUpgradeHeaders } from './ignored-upgrade.ts'
import { refuseOnGrpcPort, mediaTypeHandlerFor } from './media-type-handlers.ts'
import { ownSocket, refuseSocket } from './socket-owner.ts'
import type { MediaTypeHandler } from './media-type-handlers.ts'

/** Node makes no response for a handshake: this one is for refusals. */
const HandshakeResponse = createHttp1Response(ServerResponse)

/** What the entrance needs of the host. */
export interface CurrentGeneration {
  current(): RoutingGeneration & { mediaTypeHandlers: readonly MediaTypeHandler[] }
}

export function createRequestHandler(
  host: CurrentGeneration,
  services: PipelineServices,
  facts: RequestFactsSource,
): ListenerHandlers {
  const { basePath } = services.config

  /** The target without the base path; the received one when it has none. */
  function targetOf(request: ServerRequest, generation: RoutingGeneration): string {
    const url = request.url ?? '/'
    return basePath === null
      ? url
      : withoutBasePath(url, basePath, path => isServed(generation.routes.find('GET', path)))
  }

  function enter(
    request: ServerRequest,
    response: SvcResponse,
    listener: ListenerFacts,
    use: ConnectionActivity | null,
    expectsContinue: boolean,
  ): void {
    // The connection may have broken between the head and this turn: nobody is there to be answered, or to leave later.
    if (isHttp2(request) && request.stream.destroyed) return
    restoreUpgradeHeaders(request)
    const generation = host.current()
    rewriteTarget(request, targetOf(request, generation))
    const problem = headProblem(request)
    const context = start(request, response, listener, generation, null, use)
    context.expectsContinue = expectsContinue
    if (problem !== null) {
      refuseSocket(request.socket)
      answer(context, {
        status: 400,
        headers: { 'X-Request-Id': requestIdOf(request), Connection: 'close' },
        body: badRequest(problem),
      })
      return
    }
    const taker = mediaTypeHandlerFor(generation.mediaTypeHandlers, request, listener, services.config.grpcOnHttp)
    if (taker !== null) {
      context.requestId = requestIdOf(request)
      if (services.tracer !== null) beginCallSpan(context, services.tracer)
      taker(request, response as never, { listener: listener.kind, socket: request.socket, clientIp: context.clientIp })
    } else if (listener.kind === 'grpc') refuseOnGrpcPort(context)
    else runPipeline(context, services)
  }

  function start(
    request: ServerRequest,
    response: SvcResponse,
    listener: ListenerFacts,
    generation: RoutingGeneration,
    upgrade: Handshake | null,
    use: ConnectionActivity | null,
  ): RequestContext {
    const url = request.url ?? '/'
    const path = decodedPath(url)
    const route = path === null ? null : generation.routes.find(request.method ?? 'GET', url)
    const context = new RequestContext({ request, response, listener, generation, facts, path, route, upgrade, use })
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

  /** A handshake for a WebSocket route goes its way; any other upgrade is the plain request without it (RFC 9110, 7.8). */
  function upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    listener: ListenerFacts,
    replay: (socket: Socket) => void,
  ): void {
    const generation = host.current()
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket' && headProblem(request) === null
    const target = targetOf(request, generation)
    const route =
      isWebSocket && decodedPath(target) !== null ? generation.routes.find(request.method ?? 'GET', target) : null
    if (route === null || !route.websocket) {
      replayWithoutUpgrade(request, socket, head, replay)
      return
    }
    rewriteTarget(request, target)
    ownSocket(socket)
    socket.on('error', () => socket.destroy())
    runPipeline(
      start(request, new HandshakeResponse(request), listener, generation, new Handshake(socket, head), null),
      services,
    )
  }

  return { request: enter, upgrade }
}

/** Whether all of it was sent. A response of HTTP/2 does not say so, its stream does: an end, and no reset (RFC 9113, 7). */
function isFinished(response: SvcResponse): boolean {
  if (!('stream' in response)) return response.writableFinished
  return response.stream.writableEnded && response.stream.rstCode === constants.NGHTTP2_NO_ERROR
}

/** What has a route of its own, not only an explanation why there is none. */
function isServed(route: CoreRoute | null): boolean {
  return route !== null && !route.isFallback
}

/** Fastify shows the received target as `request.originalUrl`. */
function rewriteTarget(request: ServerRequest, target: string): void {
  if (target === request.url) return
  ;(request as ServerRequest & { originalUrl?: string }).originalUrl = request.url
  request.url = target
}

/** One function for the responses of all requests. */
function endContext(this: SvcResponse): void {
  this.context!.close(isFinished(this))
}
