/** Filters the header fields that cross the bridge, and adds internal ones for the gRPC server. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'

/** Prefix of internal fields, which are removed from requests and never shown. */
export const BRIDGE_PREFIX = 'x-svc-bridge-'
export const BRIDGE_PEER = `${BRIDGE_PREFIX}peer`
/** Name of the session, whichever way the client gave it. */
export const BRIDGE_SESSION = `${BRIDGE_PREFIX}session`
export const BRIDGE_CALL = `${BRIDGE_PREFIX}call`
/** The path of a call whose method is not served: such calls are all made to one method. */
export const BRIDGE_PATH = `${BRIDGE_PREFIX}path`
export const UNKNOWN_METHOD_PATH = '/svc.bridge.Unknown/Call'
export const BRIDGE_TIMEOUT = `${BRIDGE_PREFIX}timeout`
/** Stands for the missing `grpc-encoding` of a call: grpc-js would take compressed messages for uncompressed ones. */
export const NO_ENCODING = 'svc-none'

/** Fields of a single connection (RFC 9110, 7.6.1; RFC 9113, 8.2.2), or set again on the other side. */
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

/** Headers of a call for the server. `id` identifies the open call; null if the call is not tracked. */
export function toCallHeaders(
  headers: IncomingHttpHeaders,
  { path, target }: { path: string; target: string },
  { peer, session }: { peer: string; session: string | null },
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
  const encoding = call['grpc-encoding']
  if (encoding === undefined || encoding === 'identity') call['grpc-encoding'] = NO_ENCODING
  call[BRIDGE_PEER] = peer
  if (session !== null) call[BRIDGE_SESSION] = session
  if (id !== null) call[BRIDGE_CALL] = id
  if (target !== path) call[BRIDGE_PATH] = path
  const timeout = headers['grpc-timeout']
  if (timeout !== undefined) call[BRIDGE_TIMEOUT] = timeout
  return call
}

/** The response headers of the server, without pseudo-header fields and fields that the outer response sets itself. */
export function fromCallHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const outer: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':') && name !== 'content-length' && name !== 'date') outer[name] = value
  return outer
}
