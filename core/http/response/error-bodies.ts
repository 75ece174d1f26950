/** JSON bodies of error responses that the framework sends instead of a route. */
import { STATUS_CODES } from 'node:http'

const ENDPOINTS_HINT = 'GET / lists every endpoint; /openapi.json describes them'

/** 404 for an unknown path; `path` as sent, without query. `here` is the path for what other servers have there. */
export function notFound(method: string, path: string, here: string | null = null) {
  return { error: 'not found', method, path, hint: here === null ? ENDPOINTS_HINT : `see ${here}; ${ENDPOINTS_HINT}` }
}

/** 404 for a path that belongs to a plugin that is not running. */
export function notFoundOfPlugin(method: string, path: string, owner: { name: string; state: 'disabled' | 'failed' }) {
  const { name: plugin, state } = owner
  const hint = `this path belongs to the plugin ${plugin}, which ${state === 'failed' ? 'has' : 'is'} ${state}; see GET /_svc/plugins and /openapi.json`
  return { error: 'not found', method, path, hint, plugin, plugin_state: state }
}

/** 405; `Allow` has the same methods, separated by a comma and a blank (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, path: string, allow: readonly string[]) {
  return { error: 'method not allowed', method, path, allow }
}

/** 400 for a malformed request. */
export function badRequest(detail: string) {
  return { error: 'bad request', detail }
}

/** 413; `limitBytes` is the exceeded limit: that of the route if its description has one. */
export function payloadTooLarge(limitBytes: number, route?: { description: RouteLimits | null }) {
  const description = route?.description
  const isOfRoute = limitBytes === description?.ownBodyLimit || limitBytes === description?.bodyLimit
  const hint = `the body exceeds ${isOfRoute ? 'the limit of this route' : 'SVC_BODY_LIMIT'}`
  return { error: 'payload too large', limit: limitBytes, hint }
}

interface RouteLimits {
  bodyLimit?: number
  ownBodyLimit?: number
}

/** 431 (RFC 6585, 5); `limitBytes` is the limit of a request head. */
export function headerFieldsTooLarge(limitBytes: number) {
  return { error: 'request header fields too large', limit: limitBytes }
}

/** 429 for a WebSocket handshake; `limit` is the number of open WebSockets allowed per client address. */
export function tooManyWebSockets(limit: number) {
  return { error: 'too many websockets', limit, hint: 'close some of the WebSockets open from this address' }
}

/** 429 for a handshake of a WebSocket with compressed messages; `limit` is the number that the instance has at a time. */
export function tooManyCompressed(limit: number) {
  return { error: 'too many compressed websockets', limit, hint: 'close some of them, or do without compression' }
}

/** 426 for a handshake of another version than that of RFC 6455 (4.2.2). */
export function unsupportedWebSocketVersion(version: string | undefined) {
  const given = version === undefined ? 'none is given' : `not ${JSON.stringify(version.slice(0, 20))}`
  return { error: 'unsupported websocket version', details: `expected Sec-WebSocket-Version: 13, ${given}` }
}

/** 500 for an exception in a route; the cause is only logged, with this request id. */
export function internalError(requestId: string) {
  return { error: 'internal error', request_id: requestId }
}

/** An error with a 4xx status; the client may see its cause. */
export function refused(status: number, detail: string, code?: string) {
  return { error: STATUS_CODES[status]?.toLowerCase() ?? 'refused', ...(code === undefined ? {} : { code }), detail }
}

/** An error with a 5xx status other than 500; the cause is only logged, with this request id. */
export function failed(status: number, requestId: string) {
  return { error: STATUS_CODES[status]?.toLowerCase() ?? 'server error', request_id: requestId }
}

/** Seconds after which a request to an unavailable or full state store is worth another try. */
const STATE_RETRY_SECS = { STATE_UNAVAILABLE: 1, STATE_FULL: 5 } as const

/** 503 for a route that needs the state store; `code` is that of `StateUnavailable`. */
export function stateUnavailable(code: keyof typeof STATE_RETRY_SECS) {
  return {
    error: code === 'STATE_FULL' ? 'state_full' : 'state_unavailable',
    retry_after_secs: STATE_RETRY_SECS[code],
  }
}

/** Headers of such a response, which tell it from an injected fault. */
export function stateHeaders(code: keyof typeof STATE_RETRY_SECS): Record<string, string> {
  return {
    'X-Svc-State-Store': code === 'STATE_FULL' ? 'full' : 'away',
    'Retry-After': String(STATE_RETRY_SECS[code]),
  }
}

/** 503 for a route that sent no response headers in time. */
export function requestTimeout(timeoutSecs: number) {
  return {
    error: 'request timeout',
    timeout_secs: timeoutSecs,
    hint: 'the route sent no response headers within SVC_REQUEST_TIMEOUT seconds',
  }
}
