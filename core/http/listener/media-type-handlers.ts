/**
 * Requests that are handled outside of the pipeline because of their media type (gRPC, gRPC-Web), and the gRPC port
 * without a handler.
 */
import type { Http2ServerResponse } from 'node:http2'
import type { SvcMediaTypes } from '../../contract/calls.ts'
import { sendResponse } from '../response/send.ts'
import { isHttp2, type ListenerFacts, type ServerRequest } from '../request/types.ts'
import type { RequestContext } from '../request/context.ts'
import { requestIdOf } from '../request/request-facts.ts'
import type { Cors } from '../response/cors.ts'

export interface MediaTypeHandler {
  plugin: string
  match: Parameters<SvcMediaTypes['requests']>[0]
  handler: Parameters<SvcMediaTypes['requests']>[1]
}

const GRPC_UNIMPLEMENTED = '12'

/** The lower-case media type without parameters; empty if absent. */
export function mediaTypeOf(request: ServerRequest): string {
  const type = request.headers['content-type']
  return type === undefined ? '' : type.split(';', 1)[0]!.trim().toLowerCase()
}

/**
 * The handler of this request; null if the pipeline handles it. The HTTP and HTTPS listeners have handlers only with
 * SVC_GRPC_ON_HTTP, those of plugins as these say.
 */
export function mediaTypeHandlerFor(
  mediaTypeHandlers: readonly MediaTypeHandler[],
  request: ServerRequest,
  listener: ListenerFacts,
  onHttp: boolean,
): MediaTypeHandler['handler'] | null {
  if (listener.kind !== 'grpc' && !(listener.grpc ?? onHttp)) return null
  const mediaType = mediaTypeOf(request)
  for (const handler of mediaTypeHandlers) if (handler.match(mediaType, request)) return handler.handler
  return mediaType.startsWith('application/grpc') && request.method === 'POST' && isHttp2(request)
    ? sendUnimplemented
    : null
}

/** A Trailers-only response to a call that no plugin serves (gRPC over HTTP/2, "Responses"). */
function sendUnimplemented(_request: ServerRequest, response: unknown): void {
  ;(response as Http2ServerResponse).stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': GRPC_UNIMPLEMENTED,
      'grpc-message': 'no enabled plugin serves gRPC',
    },
    { endStream: true },
  )
}

/** Rejects requests on the gRPC port that are not gRPC. */
export function rejectOnGrpcPort(context: RequestContext): void {
  context.request.resume()
  sendResponse(context, {
    status: 415,
    headers: { 'X-Request-Id': requestIdOf(context.request) },
    body: {
      error: 'grpc_required',
      message:
        'this port speaks gRPC (HTTP/2) and gRPC-Web; send content-type application/grpc or application/grpc-web',
    },
  })
}

/** CORS headers of a response, or of a preflight response, that does not pass through the pipeline. */
export function corsOutsidePipeline(
  cors: Cors,
  request: ServerRequest,
  expose: readonly string[],
): Record<string, string> {
  const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
  return isPreflight ? cors.preflight(request.headers) : cors.headers(request.headers.origin, expose.join(', '))
}
