/** Relays a call over the bridge, for gRPC and gRPC-Web. When one side ends, the other side is ended as well. */
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2'
import type { MediaTypeCall } from 'svc/toolkit'
import type { Readable, Transform, Writable } from 'node:stream'

/** Receives the response of the server, in order. */
export interface CallListener {
  /** `isWhole`: no messages or trailers follow, and the headers contain the status. */
  head(headers: IncomingHttpHeaders, isWhole: boolean): void
  /** Returns false to pause the server. */
  data(chunk: Buffer): boolean
  /** Called last; the trailers are null if the call was aborted. */
  end(trailers: IncomingHttpHeaders | null): void
}

/**
 * Relays a call. `trackedCall` receives its status; `decode` transforms the bytes of the request; `response` emits `drain`,
 * and `close` when the client disconnects.
 */
export function relay(
  request: Readable,
  response: Writable,
  call: ClientHttp2Stream,
  listener: CallListener,
  trackedCall: MediaTypeCall | null,
  decode?: Transform,
): void {
  const input = decode === undefined ? request.pipe(call) : request.pipe(decode).pipe(call)
  decode?.on('error', () => call.close(constants.NGHTTP2_CANCEL))
  input.on('error', () => {})
  request.on('error', () => {})

  let trailers: IncomingHttpHeaders | null = null
  call.on('response', (headers, flags) => {
    const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
    if (isWhole) trailers = headers
    listener.head(headers, isWhole)
    // Not earlier: if the first message arrives in the same tick, `data` can be emitted before `response`.
    call.on('data', (chunk: Buffer) => {
      if (!listener.data(chunk)) call.pause()
    })
  })
  call.on('trailers', headers => {
    trailers = headers
    finishIfComplete()
  })
  call.on('end', finishIfComplete)
  call.on('close', finish)

  /** 'end' may be emitted before 'trailers'. 'close' follows both, but only after the client has ended its side as well. */
  function finishIfComplete(): void {
    if (trailers !== null && call.readableEnded) finish()
  }

  let isFinished = false
  function finish(): void {
    if (isFinished) return
    isFinished = true
    request.unpipe()
    // Unread bytes would use up the flow-control window of the whole connection.
    request.resume()
    if (trailers?.['grpc-status'] !== undefined) trackedCall?.end(Number(trailers['grpc-status']))
    listener.end(trailers)
    if (!call.closed) call.close(constants.NGHTTP2_NO_ERROR)
  }
  response.on('drain', () => call.resume())
  response.on('close', () => {
    if (!call.closed) call.close(constants.NGHTTP2_CANCEL)
  })
  response.on('error', () => {})
}
