/** Owns which header fields cross the bridge, and those that it adds for its own server. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'

/** No name that begins so comes in from outside or is shown. */
export const BRIDGE_PREFIX = 'x-svc-bridge-'
export const BRIDGE_PEER = `${BRIDGE_PREFIX}peer`
export const BRIDGE_CALL = `${BRIDGE_PREFIX}call`
/** The path of a call whose method is not served: such calls are all made to one method. */
export const BRIDGE_PATH = `${BRIDGE_PREFIX}path`
export const UNKNOWN_METHOD_PATH = '/svc.bridge.Unknown/Call'
export const BRIDGE_TIMEOUT = `${BRIDGE_PREFIX}timeout`

/** Of one connection only (RFC 9110, 7.6.1; RFC 9113, 8.2.2), or said anew on the other side. */
const LEFT_OUT = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
  'te',
  'content-type',
  'content-length',
  'expect',
])

/** Headers of a call as the server gets them; `target` is the path that it is made to, `path` the one that was asked for. `id`: of the call among the open ones; null: it is not followed. */
export function toCallHeaders(
  headers: IncomingHttpHeaders,
  { path, target }: { path: string; target: string },
  peer: string,
  id: string | null,
): OutgoingHttpHeaders {
  const call: OutgoingHttpHeaders = {
    ':method': 'POST',
    ':path': target,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  }
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || name.startsWith(BRIDGE_PREFIX) || LEFT_OUT.has(name)) continue
    call[name] = value
  }
  call[BRIDGE_PEER] = peer
  if (id !== null) call[BRIDGE_CALL] = id
  if (target !== path) call[BRIDGE_PATH] = path
  const timeout = headers['grpc-timeout']
  if (timeout !== undefined) call[BRIDGE_TIMEOUT] = timeout
  return call
}

/** What the server answered, without pseudo-headers and what the outer response says for itself. */
export function fromCallHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const outer: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':') && name !== 'content-length' && name !== 'date') outer[name] = value
  return outer
}
