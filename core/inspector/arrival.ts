/** A captured request as plugins compare it with what others report. */
import type { Arrival, InspectorEntry } from '../contract/plugin.ts'
import { idOf, type CapturedRequest } from './captured-request.ts'

/** `services` gives the calls about an entry; null if there are none. */
export function arrivalOf(
  captured: CapturedRequest,
  services: ((id: string) => InspectorEntry['services']) | null,
): Arrival {
  const { requestId, trace, arrivedAt, method, uri, session, status, latencyMs, response, route, plugin } = captured
  const id = idOf(captured)
  return {
    id,
    requestId,
    trace: trace === null ? null : { traceId: trace.traceId, spanId: trace.spanId },
    arrivedAt,
    method,
    url: uri,
    session,
    status,
    latencyMs,
    bytesSent: response.bytesSent,
    ended: response.ended,
    route,
    plugin,
    services: services?.(id) ?? [],
  }
}
