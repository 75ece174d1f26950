/** Errors of the plugin `proxy`. */
import { HttpError, refusal } from 'svc/plugin'
import type { Closest } from './recordings/folder.ts'

export function proxyDisabled(): HttpError {
  return refusal(403, 'proxy_disabled', 'upstream services are not available in public mode')
}

export function unknownUpstream(name: string, known: readonly string[]): HttpError {
  return new HttpError(404, {
    error: 'unknown_upstream',
    details: `there is no upstream "${name.slice(0, 80)}"`,
    upstreams: known,
  })
}

export function notSupported(): HttpError {
  return refusal(501, 'not_supported', 'WebSocket connections to an upstream are not supported')
}

export function proxyLoop(): HttpError {
  return refusal(508, 'proxy_loop', 'the request has already passed through the proxy of this instance')
}

/** `reason` has no URL: it may be shown to anyone. */
export function upstreamUnreachable(upstream: string, reason: string): HttpError {
  return new HttpError(502, {
    error: 'upstream_unreachable',
    upstream,
    details: `the upstream "${upstream}" can't be reached (${reason})`,
  })
}

export function upstreamTimeout(upstream: string, timeoutMs: number): HttpError {
  return new HttpError(504, {
    error: 'upstream_timeout',
    upstream,
    details: `the upstream "${upstream}" sent no response head within ${timeoutMs} ms`,
  })
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
    { 'X-Svc-Proxy': 'miss' },
  )
}

export function invalidMode(modes: readonly string[]): HttpError {
  return new HttpError(400, {
    error: 'invalid_mode',
    details: `the body must be a JSON object with "mode": one of ${modes.join(', ')}`,
    modes,
  })
}
