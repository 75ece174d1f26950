/** Why a request ended as it did, as a sentence for people. */
import type { AbortKind } from '../contract/plugin.ts'
import type { CapturedRequest } from './captured-request.ts'

const ABORTS: Record<AbortKind, string> = {
  reset: 'connection reset',
  close: 'connection closed before the response',
  empty: 'connection closed after the headers',
  truncate: 'connection closed in the middle of the body',
  'bad-chunk': 'connection closed after an invalid chunk',
  garbage: 'connection closed after bytes that are not HTTP',
}

/** Null while a response is being sent, and for a normal response of the route. */
export function endReasonOf(captured: CapturedRequest): string | null {
  const { abort, fault, plugin, route, rule, status, response } = captured
  const { ended, bytesSent } = response
  const source = sourceOf(captured)
  if (abort !== null) return `${ABORTS[abort]} by ${source}`
  if (ended === 'aborted')
    return `response aborted by ${fault === null ? (plugin === null ? 'svc' : `the plugin ${plugin}`) : source}`
  if (ended === 'client_left')
    return status === 499
      ? 'the client disconnected before the response'
      : `the client disconnected after ${bytesSent} bytes of the body`
  const failure = failureOf(captured)
  if (failure !== null) return failure
  if (fault !== null) return `${fault === 'delay' ? 'delayed' : `${status} injected`} by ${source}`
  return rule !== null && route === null ? `response of rule ${rule}` : null
}

/** The header without its value, else the complete source. */
function sourceOf({ faultOrigin, faultSource, fault }: CapturedRequest): string {
  const source = faultSource ?? fault ?? ''
  // Nothing is cut off a delay, where the value is the reason.
  return faultOrigin === 'header' && fault !== 'delay' ? source.split(':', 1)[0]! : source
}

function failureOf({ failure, status }: CapturedRequest): string | null {
  if (failure === 'timeout') return 'the route sent no response headers in time'
  if (failure === 'payload_too_large') return 'the body exceeds the limit'
  if (failure === 'internal') return 'the route failed'
  if (failure === 'unrouted')
    return status === 405 ? 'no route of this path has this method' : 'no route matches this path'
  return null
}
