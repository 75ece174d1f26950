/** The outermost stage: feeds metrics and access log for every request, however it ends. */
import type { Log } from '../../../log/log.ts'
import { isHttp2, type EgressCounter, type RequestFollower } from '../../request/types.ts'
import type { RequestContext } from '../../request/context.ts'
import type { RequestMetrics } from '../../../metrics/request-metrics.ts'
import type { CompletionBatch, CompletionReader } from '../completion-batch.ts'
import type { PipelineServices } from '../stage.ts'

/**
 * Status codes customary among proxies (nginx): the client disconnected before the response headers, or the connection
 * was closed without any.
 */
const CLIENT_GONE = 499
const NO_RESPONSE = 444

/** The status recorded for a request: that of its response, or why there was none. */
export function statusOf({ status, ended }: RequestContext): number {
  if (status !== 0) return status
  return ended === 'aborted' ? NO_RESPONSE : CLIENT_GONE
}

/** The request is reported when the response headers are sent, or when the client has disconnected before. */
export function observe(context: RequestContext, { observer }: PipelineServices): boolean {
  context.observer = observer
  return true
}

/** Adds every request to the batch, and immediately counts open streams and bytes. */
export class Observer implements RequestFollower<RequestContext>, EgressCounter {
  readonly #metrics: RequestMetrics
  readonly #report: CompletionReader
  readonly #isDraining: () => boolean

  /** `report` gets each request once. While `isDraining` returns true, connections are closed with their next response. */
  constructor({
    metrics,
    report,
    isDraining,
  }: { metrics: RequestMetrics; report: CompletionReader; isDraining(): boolean }) {
    this.#metrics = metrics
    this.#report = report
    this.#isDraining = isDraining
  }

  onHead(context: RequestContext): void {
    if (this.#isDraining() && !isHttp2(context.request))
      (context.response as { shouldKeepAlive: boolean }).shouldKeepAlive = false
    this.#report(context)
    if (isStream(context)) this.#metrics.addOpenStreams(1)
  }

  onBreak(context: RequestContext): void {
    this.#report(context)
  }

  onClose(context: RequestContext): void {
    // A request that was broken off has been reported by then.
    if (context.status === 0) {
      if (context.ended !== 'aborted') this.#report(context)
    } else if (isStream(context)) this.#metrics.addOpenStreams(-1)
  }

  addEgress(bytes: number): void {
    this.#metrics.addEgress(bytes)
  }
}

/**
 * Tracks a call that a media type handler serves: it has an entry like others, but bytes and streams are not counted.
 */
export class CallObserver implements RequestFollower<RequestContext>, EgressCounter {
  readonly #report: CompletionReader
  readonly #log: Log | null

  /** `report` gets each call once. Without a log, no line is written. */
  constructor(report: CompletionReader, log: Log | null) {
    this.#report = report
    this.#log = log
  }

  onHead(context: RequestContext): void {
    this.#report(context)
  }

  onBreak(context: RequestContext): void {
    this.onHead(context)
  }

  onClose(context: RequestContext): void {
    if (context.status === 0 && context.ended !== 'aborted') this.onHead(context)
    if (this.#log !== null) logCall(this.#log, context)
  }

  addEgress(): void {}
}

/** Adds requests to the batch. */
export function reportTo(completions: CompletionBatch): CompletionReader {
  return context => {
    // A closed socket no longer knows its peer.
    void context.clientIp
    completions.add(context)
  }
}

/** Counts requests. */
export function countRequests(metrics: RequestMetrics): CompletionReader {
  return context => {
    const hasHead = context.status !== 0
    if (context.fault !== null && (hasHead || context.fault === 'abort')) metrics.countFault(context.fault)
    // A call counts under its own protocol, which its plugin reports.
    if (context.call !== null) return
    metrics.countRequest(context.routeLabel, context.method, statusOf(context), hasHead ? context.latencyMs : null)
    metrics.countProtocol(protocolOf(context))
  }
}

function isStream({ isEventStream, status }: RequestContext): boolean {
  return isEventStream || status === 101
}

/** The area of the route or its plugin, else the kind of response. */
function protocolOf(context: RequestContext): string {
  const area = context.description?.area ?? context.route?.area
  if (area != null) return area
  if (context.upgrade !== null) return 'websocket'
  return context.isEventStream ? 'sse' : 'http'
}

/** Probes and scrapes are frequent and not interesting. */
const QUIET_PATHS = new Set(['/_svc/ready', '/_svc/metrics'])

export function isQuiet({ path }: RequestContext): boolean {
  return path !== null && QUIET_PATHS.has(path)
}

/** Writes the access log. */
export function logRequests(log: Log): CompletionReader {
  return context => {
    const level = isQuiet(context) ? 'debug' : 'info'
    if (!log.isEnabled(level) || context.call !== null || context.isQuiet) return
    log[level]('request', logFields(context, context.route === null ? 'unmatched' : context.calledRoute))
  }
}

/** The line of a call is written at its end, when its status is known. */
function logCall(log: Log, context: RequestContext): void {
  if (!log.isEnabled('info') || context.isQuiet) return
  log.info('request', {
    ...logFields(context, context.calledRoute ?? 'unmatched'),
    duration_ms: Math.round((performance.now() - context.startedAt) * 100) / 100,
  })
}

/** One literal, because there is one for each request: spreading others into it allocates 5 KB. */
function logFields(context: RequestContext, route: string | null): Record<string, string | number | undefined> {
  return {
    method: context.method,
    path: context.path ?? context.url.split('?', 1)[0],
    route: route ?? undefined,
    status: statusOf(context),
    grpc_status: context.grpcStatus ?? undefined,
    latency_ms: context.latencyMs,
    request_id: context.requestId,
    client_ip: context.clientIp,
    bytes_sent: context.bytesSent,
    ended: context.ended,
    fault: context.fault ?? undefined,
    fault_source: context.faultSource ?? undefined,
    rule: context.rule ?? undefined,
    trace_id: context.trace?.traceId,
    span_id: context.trace?.spanId,
    plugin: context.calledPlugin ?? undefined,
  }
}
