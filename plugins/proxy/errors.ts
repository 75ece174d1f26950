/** Errors of the plugin `proxy`. */
import { HttpError } from 'svc/plugin'
import { type ProxyError, proxyStatus } from './proxy-status.ts'
import type { Closest } from './recordings/folder.ts'

export function proxyDisabled(): HttpError {
  const details = 'upstream services are not available in public mode'
  return new HttpError(403, { error: 'proxy_disabled', details }, proxyStatus('http_request_error'))
}

export function unknownUpstream(name: string, known: readonly string[]): HttpError {
  const details = `there is no upstream "${name.slice(0, 80)}"`
  return new HttpError(404, { error: 'unknown_upstream', details, upstreams: known }, proxyStatus('http_request_error'))
}

export function noTap(): HttpError {
  const details = 'the session has no run of a demo with "tap": use /s/<run>/proxy/gateway'
  return new HttpError(404, { error: 'no_tap', details }, proxyStatus('http_request_error'))
}

export function notSupported(): HttpError {
  const details = 'WebSocket connections to an upstream are not supported'
  return new HttpError(501, { error: 'not_supported', details }, proxyStatus('http_request_error'))
}

export function proxyLoop(): HttpError {
  const details = 'the request has already passed through the proxy of this instance'
  return new HttpError(508, { error: 'proxy_loop', details }, proxyStatus('proxy_loop_detected'))
}

/** `reason` has no URL: it may be shown to anyone. */
export function upstreamUnreachable(upstream: string, reason: string, cause: ProxyError): HttpError {
  const details = `the upstream "${upstream}" can't be reached (${reason})`
  return new HttpError(502, { error: 'upstream_unreachable', upstream, details }, proxyStatus(cause))
}

export function upstreamTimeout(upstream: string, timeoutMs: number, cause: ProxyError): HttpError {
  const details = `the upstream "${upstream}" sent no response head within ${timeoutMs} ms`
  return new HttpError(504, { error: 'upstream_timeout', upstream, details }, proxyStatus(cause))
}

export function noRecording(
  miss: { upstream: string; method: string; path: string },
  closest: readonly Closest[],
): HttpError {
  return new HttpError(
    404,
    {
      error: 'no_recording',
      ...miss,
      details:
        closest.length === 0
          ? `the upstream "${miss.upstream}" has no recordings`
          : `no recording matches; the closest differs in ${closest[0]!.differences.map(({ at }) => at).join(', ')}`,
      closest,
    },
    { 'X-Svc-Proxy': 'miss', ...proxyStatus('proxy_internal_response', 'no recording matches') },
  )
}

export function invalidMode(modes: readonly string[]): HttpError {
  return new HttpError(400, {
    error: 'invalid_mode',
    details: `the body must be a JSON object with "mode": one of ${modes.join(', ')}`,
    modes,
  })
}
