/** Relays gRPC over HTTP/2 (gRPC over HTTP/2, "Responses"). */
import {
  constants,
  type ClientHttp2Stream,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { MediaTypeCall } from 'svc/toolkit'
import { relay } from './call.ts'
import { fromCallHeaders } from './headers.ts'

/** `headers` are added to the response headers (request id). */
export function relayNative(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  call: ClientHttp2Stream,
  headers: OutgoingHttpHeaders,
  trackedCall: MediaTypeCall | null,
): void {
  let isWhole = false
  const isClosed = (): boolean => response.stream === undefined || response.stream.destroyed
  relay(
    request,
    response,
    call,
    {
      head(serverHeaders, endsHere) {
        isWhole = endsHere
        if (isClosed()) return
        const head = { ...fromCallHeaders(serverHeaders), ...headers }
        // Otherwise the response object sends its own trailers, and the status would be missing from the headers.
        if (endsHere)
          response.stream.respond({ ':status': 200, ...head, ...trackedCall?.sendHead(200) }, { endStream: true })
        else response.writeHead(200, head)
      },
      data: chunk => response.write(chunk),
      end(trailers) {
        if (isWhole || isClosed()) return
        if (trailers === null) return response.stream.close(constants.NGHTTP2_CANCEL)
        response.addTrailers(fromCallHeaders(trailers))
        response.end()
      },
    },
    trackedCall,
  )
}
