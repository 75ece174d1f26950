/** What becomes of an exception in a route: an answer that was thrown, or the 500 of the framework. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpError } from '../../contract/plugin.ts'
import type { Log } from '../../log/log.ts'
import { answerFailure } from '../response/send.ts'
import { contextOf } from '../request/context.ts'
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
  log.error('exception in a route', {
    error,
    plugin: context.route?.plugin ?? undefined,
    method: context.method,
    path: context.path,
    route: context.route?.path,
    request_id: context.requestId,
  })
  if (reply.raw.headersSent || context.response.isTakenOver) {
    reply.raw.destroy()
    return
  }
  reply.hijack()
  answerFailure(context, { status: 500, kind: 'internal', body: internalError(context.requestId) })
}
