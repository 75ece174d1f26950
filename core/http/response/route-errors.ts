/** Handles exceptions in routes: a thrown response, an error with a status, or the framework's 500. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOutputError, isTooExpensive } from '../../contract/budgets.ts'
import { isContentCodingError } from '../../toolkit/content-coding.ts'
import { quoteInput } from '../../contract/input.ts'
import type { HttpError, StateUnavailable } from '../../contract/plugin.ts'
import type { Log } from '../../log/log.ts'
import { sendOutputError } from './output-error.ts'
import { sendError, renderError } from './send.ts'
import { contextOf, type RequestContext } from '../request/context.ts'
import { failed, internalError, refused, stateHeaders, stateUnavailable } from './error-bodies.ts'
import { negotiate } from './negotiation.ts'

export interface RouteErrorServices {
  log: Log
}

/** The fields of a thrown error that Fastify reads. */
interface ThrownError {
  statusCode?: unknown
  status?: unknown
  headers?: unknown
  code?: unknown
  message?: unknown
}

/** Maximum number of message characters sent to the client. */
const MAX_MESSAGE = 1_000

/** The stack is logged, never sent to the client. */
export function sendRouteError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { log }: RouteErrorServices,
): void {
  const context = contextOf(request)
  const thrown = (error ?? {}) as Omit<Partial<HttpError>, 'code'> & ThrownError
  if (thrown.code === 'SVC_HTTP_ERROR') {
    reply.code(thrown.status!).headers(thrown.headers!)
    sendBody(context, request, reply, thrown.body!)
    return
  }
  if (thrown.code === 'SVC_INCOMPLETE_BODY') {
    reply.hijack()
    return
  }
  const isLate = reply.raw.headersSent || context.response.isDetached === true
  if (isOutputError(error) && !isLate) {
    reply.hijack()
    sendOutputError(context, error)
    return
  }
  if (isTooExpensive(error) && !isLate) {
    reply.hijack()
    const body = { error: 'too_expensive', details: error.message }
    sendError(context, { status: 400, kind: 'refused', body })
    return
  }
  if (isStateCode(thrown.code) && !isLate) {
    reply.hijack()
    sendError(
      context,
      { status: 503, kind: 'unavailable', body: stateUnavailable(thrown.code) },
      stateHeaders(thrown.code),
    )
    return
  }
  const status = statusOf(thrown, reply)
  if (status < 500 && !isLate) {
    refuse(context, request, reply, status, thrown)
    return
  }
  log.error('exception in a route', { error, ...placeOf(context) })
  if (isLate) {
    reply.raw.destroy()
    return
  }
  reply.hijack()
  const body = status === 500 ? internalError(context.requestId) : failed(status, context.requestId)
  sendError(context, { status, kind: 'internal', body }, headersOf(thrown))
}

function isStateCode(code: unknown): code is StateUnavailable['code'] {
  return code === 'STATE_UNAVAILABLE' || code === 'STATE_FULL'
}

/** The status of the error, else of the reply, as in Fastify. */
function statusOf({ statusCode, status }: ThrownError, reply: FastifyReply): number {
  return [statusCode, status, reply.statusCode].find(isErrorStatus) ?? 500
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}

function headersOf({ headers }: ThrownError): Record<string, string> | undefined {
  return typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : undefined
}

function isDecodedTooLarge(thrown: ThrownError): boolean {
  return isContentCodingError(thrown) && thrown.statusCode === 413
}

/** A 4xx is sent as a reply of the route, with its hooks and the headers it has set. */
function refuse(
  context: RequestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  thrown: ThrownError,
): void {
  const failure = {
    status,
    kind: thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE' || isDecodedTooLarge(thrown) ? 'payload_too_large' : 'refused',
    body: bodyOf(request, status, thrown),
  } as const
  reply.code(status).headers(headersOf(thrown) ?? {})
  const form = context.description?.errorForm
  if (form === undefined) {
    sendBody(context, request, reply, failure.body)
    return
  }
  const rendered = renderError(context, failure, form)
  reply.code(rendered.status).headers(rendered.headers).send(rendered.payload)
}

function sendBody(context: RequestContext, request: FastifyRequest, reply: FastifyReply, body: object): void {
  if (context.description?.negotiated) negotiate(request, reply, body)
  else void reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

function bodyOf(request: FastifyRequest, status: number, { code, message }: ThrownError): Record<string, unknown> {
  switch (code) {
    // The pipeline enforces the limits of instance and route; this is the limit of a parser, or was exceeded after
    // decompression.
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refused(status, 'the body exceeds the limit of its parser')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refused(status, `no parser for the Content-Type ${quoteInput(request.headers['content-type'] ?? '')}`)
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return refused(status, 'the body is not valid JSON')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return refused(status, 'the body is empty; expected JSON')
  }
  if (isContentCodingError({ code })) return refused(status, String(message))
  const ownCode = typeof code === 'string' && !code.startsWith('FST_ERR_') ? code : undefined
  return refused(status, String(message ?? '').slice(0, MAX_MESSAGE), ownCode)
}

/** Handles an exception in a WebSocket handler: the WebSocket is closed with 1011. */
export function logWebSocketFailure(error: Error, request: FastifyRequest, log: Log): void {
  log.error('exception in a WebSocket handler', { error, ...placeOf(contextOf(request)) })
}

function placeOf({ route, method, path, requestId }: RequestContext): Record<string, unknown> {
  return { plugin: route?.plugin ?? undefined, method, path, route: route?.path, request_id: requestId }
}
