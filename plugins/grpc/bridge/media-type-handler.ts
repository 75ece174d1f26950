/** Handles gRPC and gRPC-Web requests of all listeners and forwards them over the bridge. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientHttp2Stream, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Svc } from 'svc/plugin'
import type { ConnectionFacts, MediaTypeCall } from 'svc/toolkit'
import { CompressedFlags } from './compressed-flags.ts'
import type { BridgeConnections } from './connections.ts'
import type { ServiceRegistry } from '../service-registry.ts'
import { UNKNOWN_METHOD_PATH, toCallHeaders } from './headers.ts'
import type { OpenCalls } from './open-calls.ts'
import { relayNative } from './native.ts'
import { WEB_TYPE, relayWeb } from './web.ts'

const EXPOSED = [
  'grpc-status',
  'grpc-message',
  'grpc-status-details-bin',
  'x-svc-fail',
  'x-svc-fault',
  'x-svc-ignored',
  'x-request-id',
]
const NATIVE_TYPE = /^application\/grpc(?:\+|$)/
type Request = IncomingMessage | Http2ServerRequest
type Response = ServerResponse | Http2ServerResponse

/** Services that are neither captured nor affected by fault headers. */
const EXEMPT = /^\/grpc\.(?:health|reflection)\./

export function handleCalls(
  svc: Svc,
  connections: BridgeConnections,
  { open, services }: { open: OpenCalls; services: ServiceRegistry },
): void {
  const mediaTypes = svc.use('core.media-types')
  const exposed = (): string[] => [...EXPOSED, ...services.exposed()]
  const acceptsPreflight = (path: string): boolean => EXEMPT.test(path) || services.isBelowService(path)
  const requests = svc.metrics.counter('svc_protocol_requests_total', 'Requests by protocol', ['protocol'])

  function start(
    request: Request,
    response: Response,
    facts: ConnectionFacts,
  ): { call: ClientHttp2Stream; trackedCall: MediaTypeCall | null; compressed: CompressedFlags | undefined } {
    requests.inc({ protocol: 'grpc' })
    const outer = isHttp2(request) ? request.stream.session! : facts.socket
    const path = request.url ?? '/'
    const trackedCall = EXEMPT.test(path) ? null : mediaTypes.follow(request)
    const compressed = services.readsCompression(path) ? new CompressedFlags() : undefined
    const id = trackedCall && open.add({ tracked: trackedCall, request, ...(compressed && { compressed }) })
    if (id !== null) response.once('close', () => open.remove(id))
    return {
      call: connections
        .sessionFor(outer)
        .request(
          toCallHeaders(
            request.headers,
            { path, target: EXEMPT.test(path) || services.isMethod(path) ? path : UNKNOWN_METHOD_PATH },
            { peer: facts.clientIp, session: svc.http.session(request).header },
            id,
          ),
        ),
      trackedCall,
      compressed,
    }
  }

  mediaTypes.requests(
    (mediaType, request) => NATIVE_TYPE.test(mediaType) && request.method === 'POST' && isHttp2(request),
    (request, response, facts) => {
      const { call, trackedCall, compressed } = start(request, response, facts)
      compressed?.watch(request)
      relayNative(
        request as Http2ServerRequest,
        response as Http2ServerResponse,
        call,
        { 'x-request-id': svc.http.requestId(request) },
        trackedCall,
      )
    },
  )
  mediaTypes.requests(
    (mediaType, request) => WEB_TYPE.test(mediaType) && request.method === 'POST',
    (request, response, facts) => {
      const headers = { ...mediaTypes.cors(request, exposed()), 'X-Request-Id': svc.http.requestId(request) }
      const { call, trackedCall, compressed } = start(request, response, facts)
      relayWeb(request as IncomingMessage, response as ServerResponse, call, headers, { trackedCall, compressed })
    },
  )
  mediaTypes.requests(
    (_mediaType, request) =>
      request.method === 'OPTIONS' &&
      request.headers['access-control-request-method'] !== undefined &&
      acceptsPreflight(request.url ?? ''),
    (request, response) => sendPreflight(request, response, mediaTypes.cors(request, exposed())),
  )
}

function sendPreflight(request: Request, response: Response, headers: Record<string, string>): void {
  request.resume()
  const own = response as ServerResponse
  own.writeHead(200, { ...headers, 'Content-Length': 0 })
  own.end()
}

function isHttp2(request: Request): request is Http2ServerRequest {
  return 'stream' in request
}
