/** Sends responses of the core instead of a route: rejections, timeouts, injected faults, framework errors. */
import { ServerResponse, STATUS_CODES, type OutgoingHttpHeaders } from 'node:http'
import type { CoreFailure, ErrorForm, RequestFacts } from '../../contract/plugin.ts'
import { isHttp2 } from '../request/types.ts'
import type { RequestContext } from '../request/context.ts'
import type { Http1Response } from './response.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends the body (null on HEAD) and ends the response, immediately or when it is safe. */
export type Finish = (response: ServerResponse, payload: Buffer | null) => void

export interface CoreResponse {
  status: number
  headers?: OutgoingHttpHeaders
  body: object
}

/**
 * Sends JSON, without a body on HEAD. A rejected handshake gets a plain HTTP response, and its connection is closed.
 */
export function sendResponse(context: RequestContext, { status, headers, body }: CoreResponse): void {
  sendJson(context, status, headers, body)
}

/** Sends a text, with its type among the headers. */
export function sendRendered(
  context: RequestContext,
  { status, headers, body }: { status: number; headers: OutgoingHttpHeaders; body: string },
): void {
  send(context, status, headers, Buffer.from(body))
}

function sendJson(
  context: RequestContext,
  status: number,
  headers: OutgoingHttpHeaders | undefined,
  body: object,
  finish?: Finish,
): void {
  send(context, status, { 'Content-Type': JSON_TYPE, ...headers }, Buffer.from(JSON.stringify(body)), finish)
}

/** Sends an error in the format of the route (`errorForm`), else as JSON of the core. */
export function sendError(
  context: RequestContext,
  failure: Omit<CoreFailure, 'requestId'>,
  headers?: OutgoingHttpHeaders,
  finish?: Finish,
): void {
  sendErrorInForm(context, failure, context.description?.errorForm ?? null, headers, finish)
}

/** Sends an error in the given format; null means the JSON of the core. */
export function sendErrorInForm(
  context: RequestContext,
  failure: Omit<CoreFailure, 'requestId'>,
  form: ErrorForm | null,
  headers?: OutgoingHttpHeaders,
  finish?: Finish,
): void {
  if (!context.response.headersSent) context.failure = failure.kind
  if (form === null) return sendJson(context, failure.status, headers, failure.body, finish)
  const rendered = renderError(context, failure, form)
  send(context, rendered.status, { ...rendered.headers, ...headers }, rendered.payload, finish)
}

/** What the functions of a route's description get. */
export function requestFactsOf(context: RequestContext): RequestFacts {
  return {
    method: context.method,
    path: context.path ?? context.url,
    url: context.url,
    headers: context.request.headers,
    session: context.session.header,
  }
}

/** Renders an error in the format of a route. */
export function renderError(
  context: RequestContext,
  failure: Omit<CoreFailure, 'requestId'>,
  form: ErrorForm,
): { status: number; headers: Record<string, string>; payload: Buffer } {
  const rendered = form({ ...failure, requestId: context.requestId }, requestFactsOf(context))
  const { body } = rendered
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
  const payload = Buffer.isBuffer(body) ? body : Buffer.from(isJson ? JSON.stringify(body) : body)
  const type: Record<string, string> = isJson ? { 'Content-Type': JSON_TYPE } : {}
  return { status: rendered.status ?? failure.status, headers: { ...type, ...rendered.headers }, payload }
}

function send(
  context: RequestContext,
  status: number,
  headers: OutgoingHttpHeaders,
  payload: Buffer,
  finish: Finish = endWith,
): void {
  const response = context.response
  if (response.headersSent) return
  if (context.upgrade !== null) attachSocket(context)
  // Headers of a reply that the route prepared must not leak into this one; headers of every response stay.
  for (const name of response.getHeaderNames()) if (name.startsWith('content-')) response.removeHeader(name)
  const head: OutgoingHttpHeaders = { ...headers, 'Content-Length': payload.length }
  if (context.upgrade !== null) head.Connection = 'close'
  if (isHttp2(context.request)) delete head.Connection
  const own = response as ServerResponse
  // Node keeps the reason phrase of a head that it refused to send.
  if (!isHttp2(context.request)) own.statusMessage = STATUS_CODES[status] ?? 'unknown'
  own.writeHead(status, head)
  finish(own, context.method === 'HEAD' ? null : payload)
}

function endWith(response: ServerResponse, payload: Buffer | null): void {
  if (payload === null) response.end()
  else response.end(payload)
}

/** Like `sendError`, but for a route that may still be running: what it writes later is dropped. */
export function replaceWithError(
  context: RequestContext,
  failure: Omit<CoreFailure, 'requestId'>,
  headers?: OutgoingHttpHeaders,
): void {
  sendError(context, failure, headers)
  context.response.isDetached = true
}

/** Node passes the bare socket of an upgrade: a response has to be attached to it, after which it is closed. */
export function attachSocket(context: RequestContext): void {
  const { socket } = context.upgrade!
  const response = context.response as Http1Response
  if (response.socket === null) response.assignSocket(socket)
  response.shouldKeepAlive = false
  response.once('finish', () => socket.end())
}
