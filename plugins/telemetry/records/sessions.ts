/** Finds the session of a report: it names one, or the request that it is about had one, or its path names one. */
import type { AnyRequest, Svc } from 'svc/plugin'
import { isSessionName, takeSessionPrefix } from 'svc/toolkit'
import { httpFactsOf, type FactName } from './http-facts.ts'
import type { HttpFacts, Kind, Report, TelemetryRecord } from './record.ts'

/** Arrivals that are looked at. */
const MAX_ARRIVALS = 2000
const NO_NAMES: ReadonlyMap<FactName, readonly string[]> = new Map()

/** What joins a report with an arrival. */
export interface ReportIds {
  requestId: string | null
  traceId: string | null
}

/** What a record says of a request; null for a metric. */
export function factsOf(record: TelemetryRecord): HttpFacts | null {
  if ('request_id' in record) return record
  return 'trace_id' in record ? httpFactsOf(record.attributes, NO_NAMES) : null
}

export function idsOf(record: TelemetryRecord): ReportIds {
  return {
    requestId: factsOf(record)?.request_id ?? null,
    traceId: 'trace_id' in record ? record.trace_id : null,
  }
}

/** Sets `session` of each record, and takes the prefix of the session off the path of logs. */
export async function settleSessions<K extends Kind>(
  svc: Svc<unknown>,
  request: AnyRequest,
  reports: readonly Report<K>[],
): Promise<void> {
  const own = svc.http.session(request).header
  const open: { record: TelemetryRecord; ids: ReportIds; inPath: string | null }[] = []
  for (const { record, named } of reports) {
    const path = factsOf(record)?.path ?? null
    const taken = path === null ? null : takeSessionPrefix(path)
    if (taken !== null && 'path' in record) record.path = taken.target
    if (named !== null && isSessionName(named)) record.session = named
    else open.push({ record, ids: idsOf(record), inPath: taken?.session ?? null })
  }
  if (open.length === 0) return
  const found = await sessionsOfArrivals(
    svc,
    open.map(({ ids }) => ids),
  )
  for (const { record, ids, inPath } of open) record.session = found(ids) ?? inPath ?? own
}

async function sessionsOfArrivals(
  svc: Svc<unknown>,
  ids: readonly ReportIds[],
): Promise<(ids: ReportIds) => string | null> {
  const requestIds = new Set(ids.flatMap(({ requestId }) => requestId ?? []))
  const traceIds = new Set(ids.flatMap(({ traceId }) => traceId ?? []))
  if (requestIds.size + traceIds.size === 0) return () => null
  const arrivals = await svc.inspector.arrivals({ requestIds, traceIds, limit: MAX_ARRIVALS })
  const byRequest = new Map<string, string>()
  const byTrace = new Map<string, string>()
  for (const { requestId, trace, session } of arrivals) {
    if (session === null) continue
    if (!byRequest.has(requestId)) byRequest.set(requestId, session)
    if (trace !== null && !byTrace.has(trace.traceId)) byTrace.set(trace.traceId, session)
  }
  return ({ requestId, traceId }) =>
    (requestId === null ? undefined : byRequest.get(requestId)) ??
    (traceId === null ? undefined : byTrace.get(traceId)) ??
    null
}
