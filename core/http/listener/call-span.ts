/** The span of a gRPC call. Calls do not pass through the pipeline, so the tracing stage does not see them. */
import type { ServerHttp2Stream } from 'node:http2'
import { readTraceParent } from '../../tracing/trace-context.ts'
import type { ServerSpan, Tracer } from '../../tracing/tracer.ts'
import { isHttp2 } from '../request/types.ts'
import type { RequestContext } from '../request/context.ts'

/** Status codes that count as server errors (semantic conventions for gRPC, "Server status"). */
const SERVER_ERRORS = new Set([2, 4, 12, 13, 14, 15])

/** Starts the span of a call and ends it with the call. */
export function beginCallSpan(context: RequestContext, tracer: Tracer): void {
  const { request, origin } = context
  const name = (context.path ?? request.url ?? '').replace(/^\//, '')
  const slash = name.lastIndexOf('/')
  const span = tracer.start({
    name,
    parent: readTraceParent(request.headers),
    startedAt: performance.timeOrigin + context.startedAt,
    attributes: {
      'rpc.system': 'grpc',
      'rpc.service': slash === -1 ? undefined : name.slice(0, slash),
      'rpc.method': name.slice(slash + 1),
      'server.address': origin.host,
      'server.port': origin.port,
      'client.address': context.clientIp,
      'network.peer.address': context.peerAddress,
      'user_agent.original': request.headers['user-agent'],
    },
  })
  if (span.isRecording) context.whenClosed(() => endCallSpan(context, span, name))
}

function endCallSpan(context: RequestContext, span: ServerSpan, name: string): void {
  const status = statusOf(context)
  span.end({
    name,
    attributes: { 'rpc.grpc.status_code': status, 'svc.request_id': context.requestId },
    isError: status !== undefined && SERVER_ERRORS.has(status),
    endedAt: performance.timeOrigin + performance.now(),
  })
}

/**
 * The status code from the trailers, or from the head of a Trailers-only response; undefined over gRPC-Web, where it is
 * part of the body.
 */
function statusOf({ request }: RequestContext): number | undefined {
  if (!isHttp2(request)) return undefined
  const { sentTrailers, sentHeaders } = request.stream as ServerHttp2Stream
  const value = sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status']
  return value === undefined ? undefined : Number(value)
}
