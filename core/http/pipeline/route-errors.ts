/** What becomes of an exception in a route: an answer that was thrown, or the 500 of the framework. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpError } from '../../contract/plugin.ts'
import type { Log } from '../../log/log.ts'
import { answerFailure } from '../response/send.ts'
import { contextOf } from '../request/context.ts'
import type { RequestContext } from '../request/context.ts'
import { internalError } from './error-bodies.ts'
import { negotiate } from '../response/negotiation.ts'

export interface RouteErrorServices {
  log: Log
}

/** The stack goes to the log, never to the client. */
export function answerRouteError(error: unknown, request: FastifyRequest, reply: FastifyReply, { log }: RouteErrorServices): void {
  const context = contextOf(request)
  const thrown = error as Partial<HttpError> & { statusCode?: number }
  if (thrown.code === 'SVC_HTTP_ERROR') {
    reply.code(thrown.status!).headers(thrown.headers!)
    if (context.description?.negotiated) negotiate(request, reply, thrown.body)
    else void reply.type('application/json; charset=utf-8').send(JSON.stringify(thrown.body))
    return
  }
  log.error('exception in a route', { error, ...placeOf(context) })
  if (reply.raw.headersSent || context.response.isTakenOver) {
    reply.raw.destroy()
    return
  }
  reply.hijack()
  answerFailure(context, { status: 500, kind: 'internal', body: internalError(context.requestId) })
}

/** An exception in the handler of a WebSocket, which is closed with 1011. */
export function logWebSocketFailure(error: Error, request: FastifyRequest, log: Log): void {
  log.error('exception in a WebSocket handler', { error, ...placeOf(contextOf(request)) })
}

function placeOf({ route, method, path, requestId }: RequestContext): Record<string, unknown> {
  return { plugin: route?.plugin ?? undefined, method, path, route: route?.path, request_id: requestId }
}
