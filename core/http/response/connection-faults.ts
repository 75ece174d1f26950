/**
 * Owns how a connection is broken on request (`X-Svc-Abort`). The route is not called. In the order of how far the
 * response gets:
 *
 * | Fault       | HTTP/1.1                                              | HTTP/2 (this stream, but for `close`)                |
 * |-------------|-------------------------------------------------------|------------------------------------------------------|
 * | `reset`     | TCP RST before any byte                               | RST_STREAM before the head                           |
 * | `close`     | FIN before any byte                                   | GOAWAY (NO_ERROR), the connection ends               |
 * | `empty`     | a whole head that announces a body, then FIN          | the head, then RST_STREAM                            |
 * | `truncate`  | the head and half the body that it announces, FIN     | the head and half the body, then RST_STREAM          |
 * | `bad-chunk` | a good chunk, then one whose size is no number, FIN   | half the body announced, then END_STREAM: malformed  |
 *
 * HTTP/2 has no chunks; a length that does not add up is its nearest kin (RFC 9113, 8.1.1). HTTP/1.0 has none either
 * and gets `truncate`. Where the response has no body, on HEAD, only `reset` and `close` can be told from success: the
 * others act as `close`.
 */
import type { ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { abortedBody } from '../../rules/fault-headers.ts'
import type { ConnectionFault } from '../../rules/fault-headers.ts'
import { attachSocket } from './send.ts'
import { isHttp2 } from '../request/types.ts'
import type { RequestContext } from '../request/context.ts'
import { transportOf } from '../listener/transport.ts'

/** Milliseconds that a client has to take the end of its connection. */
const LINGER_MS = 3000
/** A chunk size that is no hexadecimal number (RFC 9112, 7.1). */
const BAD_CHUNK = 'not-a-size\r\n{"error":\r\n'

/** Breaks the connection of a request, or its stream, once earlier responses on it are out. */
export function breakConnection(context: RequestContext, fault: ConnectionFault, percent: number): void {
  const shown = context.method === 'HEAD' && fault !== 'reset' ? 'close' : fault
  const payload = abortedBody(fault, percent)
  if (isHttp2(context.request)) return breakStream(context, shown, payload)
  if (context.upgrade !== null) attachSocket(context)
  const response = context.response as ServerResponse
  const act = (): void => {
    if (!response.headersSent) breakSocket(context, response, shown, payload)
  }
  // A pipelined request waits for its turn: an abort of its own must not cut the answer before it.
  if (response.socket !== null) act()
  else response.once('socket', act)
}

function breakSocket(context: RequestContext, response: ServerResponse, fault: ConnectionFault, payload: Buffer): void {
  const socket = response.socket!
  const half = payload.subarray(0, payload.length / 2)
  const close = (): void => {
    context.breaksOff()
    closeCleanly(context, socket)
  }
  if (fault === 'reset') {
    context.breaksOff()
    transportOf(socket).resetAndDestroy()
    socket.destroy()
  } else if (fault === 'close') {
    close()
  } else if (fault === 'empty') {
    response.writeHead(200, announcing(payload))
    response.flushHeaders()
    close()
  } else if (fault === 'bad-chunk' && context.request.httpVersion === '1.1') {
    response.writeHead(200, { 'Content-Type': JSON_TYPE })
    response.write(half)
    // In the order in which they were written: the socket is the response's own.
    socket.write(BAD_CHUNK)
    close()
  } else {
    response.writeHead(200, announcing(payload))
    response.write(half)
    close()
  }
}

/** FIN, not RST: what the client still sends must be read, or the kernel resets the connection for us. */
function closeCleanly({ request }: RequestContext, socket: Socket): void {
  socket.end()
  request.resume()
  socket.resume()
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(linger))
}

function breakStream(context: RequestContext, fault: ConnectionFault, payload: Buffer): void {
  const response = context.response as Http2ServerResponse
  const { stream } = response
  if (stream === undefined || stream.destroyed) return
  const half = payload.subarray(0, payload.length / 2)
  // A turn later: what is written in the turn of a RST_STREAM is dropped unsent.
  const reset = (): void => void setImmediate(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
  if (fault === 'reset' || fault === 'close') {
    context.breaksOff()
    if (fault === 'reset') stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else stream.session?.destroy()
    return
  }
  response.writeHead(200, announcing(payload))
  context.breaksOff()
  if (fault === 'empty') reset()
  else if (fault === 'truncate') response.write(half, reset)
  else response.end(half)
}

const JSON_TYPE = 'application/json; charset=utf-8'

function announcing(payload: Buffer): Record<string, string> {
  return { 'Content-Type': JSON_TYPE, 'Content-Length': String(payload.length) }
}
