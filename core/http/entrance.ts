/**
 * The entrance: what the listeners do with a request before it is on its way. The head is checked, media types that a
 * plugin has taken over leave here, everything else gets its context and enters the pipeline of the current generation.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { answer } from './answer.ts'
import { beginCallSpan } from './call-span.ts'
import { RequestContext, isHttp2 } from './context.ts'
import type { ConnectionUse } from './connection-use.ts'
import type { ListenerFacts, ServerRequest } from './context.ts'
import { badRequest } from './failures.ts'
import { Handshake } from './handshake.ts'
import type { ListenerHandlers } from './listeners.ts'
import { decodedPath } from './path.ts'
import { runPipeline } from './pipeline.ts'
import type { PipelineServices } from './stage.ts'
import { onLossWhileQueued } from './queued-response.ts'
import { headProblem } from './request-head.ts'
import { requestIdOf } from './request-id.ts'
import type { RequestFactsSource } from './request-facts.ts'
import { Http1Response } from './response.ts'
import type { SvcResponse } from './response.ts'
import type { RoutingGeneration } from './routing.ts'
import { replayWithoutUpgrade, restoreUpgradeHeaders } from './plain-upgrade.ts'
import { refuseOnGrpcPort, takeOverFor } from './take-over.ts'
import { ownSocket, refuseSocket } from './socket-owner.ts'
import type { TakeOver } from './take-over.ts'

/** What the entrance needs of the host. */
export interface CurrentGeneration {
  current(): RoutingGeneration & { takeOvers: readonly TakeOver[] }
}

export function createEntrance(host: CurrentGeneration, services: PipelineServices, facts: RequestFactsSource): ListenerHandlers {
  function enter(request: ServerRequest, response: SvcResponse, listener: ListenerFacts, use: ConnectionUse | null, expectsContinue: boolean): void {
    // The connection may have broken between the head and this turn: nobody is there to be answered, or to leave later.
    if (isHttp2(request) && request.stream.destroyed) return
    restoreUpgradeHeaders(request)
    const generation = host.current()
    const problem = headProblem(request)
    const context = start(request, response, listener, generation, null, use)
    context.expectsContinue = expectsContinue
    if (problem !== null) {
      refuseSocket(request.socket)
      answer(context, { status: 400, headers: { 'X-Request-Id': requestIdOf(request), Connection: 'close' }, body: badRequest(problem) })
      return
    }
    const taker = takeOverFor(generation.takeOvers, request, listener, services.config.grpcOnHttp)
    if (taker !== null) {
      context.requestId = requestIdOf(request)
      if (services.tracer !== null) beginCallSpan(context, services.tracer)
      taker(request, response as never, { listener: listener.kind, socket: request.socket, clientIp: context.clientIp })
    } else if (listener.kind === 'grpc') refuseOnGrpcPort(context)
    else runPipeline(context, services)
  }

  function start(request: ServerRequest, response: SvcResponse, listener: ListenerFacts, generation: RoutingGeneration, upgrade: Handshake | null, use: ConnectionUse | null): RequestContext {
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
  function upgrade(request: IncomingMessage, socket: Socket, head: Buffer, listener: ListenerFacts, replay: (socket: Socket) => void): void {
    const generation = host.current()
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket' && headProblem(request) === null
    const route = isWebSocket && decodedPath(request.url ?? '') !== null ? generation.routes.find(request.method ?? 'GET', request.url ?? '/') : null
    if (route === null || !route.websocket) {
      replayWithoutUpgrade(request, socket, head, replay)
      return
    }
    ownSocket(socket)
    socket.on('error', () => socket.destroy())
    runPipeline(start(request, new Http1Response(request) as SvcResponse, listener, generation, new Handshake(socket, head), null), services)
  }

  return { request: enter, upgrade }
}

/** One function for the responses of all requests. */
function endContext(this: SvcResponse): void {
  this.context!.close(this.writableFinished)
}
