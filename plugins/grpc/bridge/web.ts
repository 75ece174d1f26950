/** Relays gRPC-Web: the same frames, with the status in a last frame of the body; base64 in text mode. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { MediaTypeCall } from 'svc/toolkit'
import { relay } from './call.ts'
import { Base64Decoder } from './base64-decoder.ts'
import type { CompressedFlags } from './compressed-flags.ts'
import { fromCallHeaders } from './headers.ts'

export const WEB_TYPE = /^application\/grpc-web(-text)?(?:\+|$)/
const TRAILER_FLAG = 0x80
/** Status codes of gRPC. */
const UNKNOWN = 2
const UNAVAILABLE = 14
const BROKEN_OFF: IncomingHttpHeaders = { 'grpc-status': String(UNAVAILABLE), 'grpc-message': 'the call was aborted' }

/** `headers` are added to the response headers (CORS, request id). */
export function relayWeb(
  request: IncomingMessage,
  response: ServerResponse,
  call: ClientHttp2Stream,
  headers: Record<string, string>,
  { trackedCall, compressed }: { trackedCall: MediaTypeCall | null; compressed: CompressedFlags | undefined },
): void {
  const isText = /^\s*application\/grpc-web-text/i.test(request.headers['content-type'] ?? '')
  const decoder = isText ? new Base64Decoder() : undefined
  compressed?.watch(decoder ?? request)
  // Each write is padded base64 on its own, so that a client can decode it at once.
  const write = (bytes: Buffer): boolean => response.write(isText ? bytes.toString('base64') : bytes)
  relay(
    request,
    response,
    call,
    {
      head(serverHeaders, isWhole) {
        response.writeHead(200, {
          ...(isWhole ? {} : fromCallHeaders(serverHeaders)),
          ...headers,
          'content-type': `application/grpc-web${isText ? '-text' : ''}+proto`,
        })
      },
      data: write,
      end(trailers) {
        if (response.destroyed) return
        if (!response.headersSent) this.head({}, true)
        write(trailerFrame(fromCallHeaders(trailers ?? BROKEN_OFF) as Record<string, string>))
        response.end()
      },
    },
    trackedCall,
    decoder,
  )
}

/** Lines `name:value`, the status first. In a trailers-only response, the headers are the trailers. */
function trailerFrame({
  'grpc-status': code = String(UNKNOWN),
  'grpc-message': message,
  'content-type': _type,
  ...metadata
}: Record<string, string>): Buffer {
  const lines: [string, string][] = [
    ['grpc-status', code],
    ...(message === undefined ? [] : [['grpc-message', message] as [string, string]]),
    ...Object.entries(metadata),
  ]
  const payload = Buffer.from(lines.map(([name, value]) => `${name}:${value}\r\n`).join(''), 'latin1')
  const head = Buffer.alloc(5)
  head[0] = TRAILER_FLAG
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}
