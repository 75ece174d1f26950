/** Owns what both ways across the bridge have in common: the request goes in, and either side's end ends the other. */
import { constants } from 'node:http2'
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { MediaTypeCall } from 'svc/plugin'
import type { Readable, Transform, Writable } from 'node:stream'

/** What the server answered, in the order in which it comes. */
export interface CallListener {
  /** `isWhole`: there will be neither messages nor trailers; the status is among the headers. */
  head(headers: IncomingHttpHeaders, isWhole: boolean): void
  /** Answers false while nothing more should come. */
  data(chunk: Buffer): boolean
  /** After everything; trailers are null when the call broke off. */
  end(trailers: IncomingHttpHeaders | null): void
}

/** Relays a call. `followed` learns its status; `decode` changes the request's bytes on their way in; `response` tells of drain and of the client's leaving. */
export function relay(
  request: Readable,
  response: Writable,
  call: ClientHttp2Stream,
  listener: CallListener,
  followed: MediaTypeCall | null,
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
    // Not before: with the first message in the same turn, data can be told of earlier than the head.
    call.on('data', (chunk: Buffer) => {
      if (!listener.data(chunk)) call.pause()
    })
  })
  call.on('trailers', headers => {
    trailers = headers
    finishAnswered()
  })
  call.on('end', finishAnswered)
  call.on('close', finish)

  /** 'end' may come before 'trailers'. 'close' comes after both, but only once the client has ended its side too. */
  function finishAnswered(): void {
    if (trailers !== null && call.readableEnded) finish()
  }

  let isFinished = false
  function finish(): void {
    if (isFinished) return
    isFinished = true
    request.unpipe()
    // Bytes that nobody takes would use up the flow-control window of the whole connection.
    request.resume()
    if (trailers?.['grpc-status'] !== undefined) followed?.end(Number(trailers['grpc-status']))
    listener.end(trailers)
    if (!call.closed) call.close(constants.NGHTTP2_NO_ERROR)
  }
  response.on('drain', () => call.resume())
  response.on('close', () => {
    if (!call.closed) call.close(constants.NGHTTP2_CANCEL)
  })
  response.on('error', () => {})
}
