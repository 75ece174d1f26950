/** The stage that assigns a trace context to a request, and a span if spans are exported. */
import { joinTrace, printTraceResponse, readTraceParent, type TraceParent } from '../../../tracing/trace-context.ts'
import { Redactor } from '../../../toolkit/redaction.ts'
import { SpanDetails } from '../../../tracing/span-details.ts'
import type { ServerSpan, SpanAttributes, Tracer } from '../../../tracing/tracer.ts'
import type { RequestContext } from '../../request/context.ts'
import { isHttp2 } from '../../request/types.ts'
import { originForm } from '../../../fields/request-target.ts'
import type { PipelineServices } from '../stage.ts'
import { isQuiet } from './observation.ts'

/** Methods known to the semantic conventions; others become `_OTHER`, so that clients cannot invent span names. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY'])

/** Costs one header lookup if spans are not exported and the request has no trace. */
export function enterTrace(context: RequestContext, { tracer, inspector }: PipelineServices): boolean {
  const { headers } = context.request
  if (headers.traceparent === undefined && (tracer === null || isQuiet(context))) return true
  const parent = readTraceParent(headers)
  const { response } = context
  if (tracer === null) context.trace = joinTrace(parent)
  else startSpan(context, tracer, parent, inspector)
  if (parent !== null) response.setHeader('traceparent', headers.traceparent as string)
  response.setHeader('traceresponse', printTraceResponse(context.trace!))
  return true
}

/** Spans leave the instance: the secrets of clients are replaced as well. */
const redactor = new Redactor({ marker: 'redacted' })

function startSpan(
  context: RequestContext,
  tracer: Tracer,
  parent: TraceParent | null,
  inspector: PipelineServices['inspector'],
): void {
  const url = redactor.text(inspector.redactUrl(originForm(context.url) ?? context.url))
  const span = tracer.start({
    name: spanName(context),
    attributes: requestAttributes(context, url),
    parent,
    startedAt: performance.timeOrigin + context.startedAt,
  })
  context.trace = span.trace
  if (!span.isRecording) return
  const details = new SpanDetails(text => inspector.redactText(text))
  context.span = details
  context.whenClosed(finished => {
    const endedAt = performance.timeOrigin + performance.now()
    // Routes learn from the same event how the response ended.
    setImmediate(() => endSpan(context, span, { details, finished, endedAt }))
  })
}

interface Ended {
  details: SpanDetails
  finished: boolean
  /** Milliseconds since 1970. */
  endedAt: number
}

function endSpan(context: RequestContext, span: ServerSpan, { details, finished, endedAt }: Ended): void {
  const error = errorType(context, finished)
  span.end({
    name: details.name ?? spanName(context),
    attributes: {
      'http.route': context.route === null ? undefined : context.routeLabel,
      'http.response.status_code': context.status === 0 ? undefined : context.status,
      'error.type': error,
      'svc.request_id': context.requestId,
      'svc.session': context.session.header ?? undefined,
      'svc.plugin': context.route?.plugin ?? undefined,
      'svc.fault': context.fault ?? undefined,
      ...details.attributes,
    },
    isError: error !== undefined,
    endedAt,
  })
}

/** Undefined if there was no error; client errors are not server errors (semantic conventions, "Status"). */
function errorType({ status, fault }: RequestContext, finished: boolean): string | undefined {
  if (status >= 500) return String(status)
  if (fault === 'abort') return 'injected_abort'
  return status === 0 && !finished ? 'client_gone' : undefined
}

function spanName(context: RequestContext): string {
  const method = METHODS.has(context.method) ? context.method : 'HTTP'
  return context.route === null ? method : `${method} ${context.routeLabel}`
}

/** Semantic conventions for HTTP server spans. */
function requestAttributes(context: RequestContext, url: string): SpanAttributes {
  const { request, method } = context
  const isKnown = METHODS.has(method)
  const query = url.indexOf('?')
  const { scheme, host, port } = context.origin
  return {
    'http.request.method': isKnown ? method : '_OTHER',
    'http.request.method_original': isKnown ? undefined : method,
    'url.scheme': scheme,
    'url.path': query === -1 ? url : url.slice(0, query),
    'url.query': query === -1 ? undefined : url.slice(query + 1),
    'server.address': host,
    'server.port': port,
    'client.address': context.clientIp,
    'network.peer.address': context.peerAddress,
    'network.protocol.name': 'http',
    'network.protocol.version': isHttp2(request) ? '2' : request.httpVersion,
    'user_agent.original': request.headers['user-agent'],
  }
}
