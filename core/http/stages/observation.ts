/** The outermost stage: what metrics and access log say of a request, whatever becomes of it. */
import type { Log } from '../../log.ts'
import type { CountedProtocol } from '../../request-metrics.ts'
import { isHttp2 } from '../context.ts'
import type { EgressCounter, RequestContext, RequestFollower } from '../context.ts'
import type { RequestMetrics } from '../../request-metrics.ts'
import type { PipelineServices } from '../stage.ts'

/** Codes that are a custom of proxies (nginx): the client left before the head, or the connection was closed without one. */
const CLIENT_GONE = 499
const NO_RESPONSE = 444

/** Status under which a request is remembered whose connection ended before there was a head. */
export function headlessStatus({ fault }: RequestContext): number {
  return fault === 'abort' ? NO_RESPONSE : CLIENT_GONE
}

/** Counts and logs the request when its head goes out, or when its client has left before. */
export function observe(context: RequestContext, { observer }: PipelineServices): boolean {
  context.observer = observer
  return true
}

/** What metrics and access log learn of a request. */
export class Observer implements RequestFollower, EgressCounter {
  readonly #metrics: RequestMetrics
  readonly #log: Log
  readonly #isDraining: () => boolean

  /** While `isDraining` answers true, connections are closed with their next response. */
  constructor({ metrics, log, isDraining }: { metrics: RequestMetrics; log: Log; isDraining(): boolean }) {
    this.#metrics = metrics
    this.#log = log
    this.#isDraining = isDraining
  }

  onHead(context: RequestContext, status: number): void {
    if (this.#isDraining() && !isHttp2(context.request)) (context.response as { shouldKeepAlive: boolean }).shouldKeepAlive = false
    this.#count(context, status, context.latencyMs)
    if (isStream(context)) this.#metrics.addOpenStreams(1)
  }

  onClose(context: RequestContext): void {
    if (context.status === 0) this.#count(context, headlessStatus(context), null)
    else if (isStream(context)) this.#metrics.addOpenStreams(-1)
  }

  addEgress(bytes: number): void {
    this.#metrics.addEgress(bytes)
  }

  #count(context: RequestContext, status: number, latencyMs: number | null): void {
    this.#metrics.countRequest(context.routeLabel, context.method, status, latencyMs)
    this.#metrics.countProtocol(protocolOf(context))
    if (context.fault !== null && (latencyMs !== null || context.fault === 'abort')) this.#metrics.countFault(context.fault)
    logRequest(context, status, this.#log)
  }
}

function isStream({ isEventStream, status }: RequestContext): boolean {
  return isEventStream || status === 101
}

/** The area that the route states, else how it was answered. */
function protocolOf(context: RequestContext): CountedProtocol {
  const area = context.description?.area
  if (area !== undefined) return area
  if (context.upgrade !== null) return 'websocket'
  return context.isEventStream ? 'sse' : 'http'
}

/** Probes and scrapes come every few seconds and say nothing. */
const QUIET_PATHS = new Set(['/_svc/ready', '/_svc/metrics'])

export function isQuiet({ path }: RequestContext): boolean {
  return path !== null && QUIET_PATHS.has(path)
}

function logRequest(context: RequestContext, status: number, log: Log): void {
  const level = isQuiet(context) ? 'debug' : 'info'
  if (!log.isEnabled(level)) return
  log[level]('request', {
    method: context.method,
    path: context.path ?? context.url.split('?', 1)[0],
    route: context.routeLabel,
    status,
    latency_ms: context.latencyMs,
    request_id: context.requestId,
    client_ip: context.clientIp,
    trace_id: context.trace?.traceId,
    span_id: context.trace?.spanId,
    plugin: context.route?.plugin ?? undefined,
  })
}
