/**
 * Breaks a connection on request (`X-Svc-Abort`). The route is not called. Ordered by how much of the response is sent:
 *
 * | Fault       | HTTP/1.1                                              | HTTP/2 (this stream, except for `close`)             |
 * |-------------|-------------------------------------------------------|------------------------------------------------------|
 * | `reset`     | TCP RST before any byte                               | RST_STREAM before the headers                        |
 * | `close`     | FIN before any byte                                   | GOAWAY (NO_ERROR), the connection ends               |
 * | `empty`     | complete headers that announce a body, then FIN       | the headers, then RST_STREAM                         |
 * | `truncate`  | headers, half of the announced body, then FIN         | the headers and half of the body, then RST_STREAM    |
 * | `bad-chunk` | a valid chunk, then one with an invalid size, FIN     | half of the announced body, END_STREAM: malformed    |
 * | `garbage`   | 32 bytes that are not HTTP, then FIN                  | RST_STREAM before the headers                        |
 *
 * HTTP/2 has no chunks; a wrong length is the closest equivalent (RFC 9113, 8.1.1). HTTP/1.0 has no chunks either and
 * gets `truncate`. On HEAD, where the response has no body, only `reset`, `close` and `garbage` are distinguishable from success:
 * the others act like `close`.
 */
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { constants, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { abortedBody, type ConnectionFault } from '../../rules/fault-headers.ts'
import { resetSocket } from '../../toolkit/reset-socket.ts'
import { attachSocket } from './send.ts'
import { isHttp2 } from '../request/types.ts'
import type { RequestContext } from '../request/context.ts'
import { transportOf } from '../sockets/transport.ts'

/** How long a client has to close its side of the connection, in milliseconds. */
const LINGER_MS = 3000
/** Faults of which no part of a response is sent. */
const WITHOUT_HEAD: ReadonlySet<ConnectionFault> = new Set(['reset', 'close', 'garbage'])
/** A chunk size that is not a hexadecimal number (RFC 9112, 7.1). */
const BAD_CHUNK = 'not-a-size\r\n{"error":\r\n'

/**
 * Breaks the connection of a request, or its stream, after earlier responses on it are sent. `seed` decides the bytes of `garbage`.
 */
export function breakConnection(context: RequestContext, fault: ConnectionFault, percent: number, seed = ''): void {
  context.abortKind = fault
  context.coding?.off()
  const shown = context.method === 'HEAD' && !WITHOUT_HEAD.has(fault) ? 'close' : fault
  const payload = fault === 'garbage' ? garbageOf(seed) : abortedBody(fault, percent)
  if (isHttp2(context.request)) return breakStream(context, shown, payload)
  if (context.upgrade !== null) attachSocket(context)
  const response = context.response as ServerResponse
  const act = (): void => {
    if (!response.headersSent) breakSocket(context, response, shown, payload)
  }
  // A pipelined request waits for its turn: its fault must not cut off the response before it.
  if (response.socket !== null) act()
  else response.once('socket', act)
}

function breakSocket(context: RequestContext, response: ServerResponse, fault: ConnectionFault, payload: Buffer): void {
  const socket = response.socket!
  const half = payload.subarray(0, payload.length / 2)
  const close = (): void => {
    context.breakOff()
    closeCleanly(context, socket)
  }
  if (fault === 'reset') {
    context.breakOff()
    resetSocket(transportOf(socket))
    socket.destroy()
  } else if (fault === 'close') {
    close()
  } else if (fault === 'garbage') {
    socket.write(payload)
    close()
  } else if (fault === 'empty') {
    response.writeHead(200, announcing(payload))
    response.flushHeaders()
    close()
  } else if (fault === 'bad-chunk' && context.request.httpVersion === '1.1') {
    response.writeHead(200, { 'Content-Type': JSON_TYPE })
    response.write(half)
    // In the order in which they were written: the response now owns the socket.
    socket.write(BAD_CHUNK)
    close()
  } else {
    response.writeHead(200, announcing(payload))
    response.write(half)
    close()
  }
}

/** 32 bytes that are not the beginning of a response: the first one is not ASCII. */
function garbageOf(seed: string): Buffer {
  const bytes = createHash('sha256').update(`garbage ${seed}`).digest()
  bytes[0]! |= 0x80
  return bytes
}

/** FIN, not RST: what the client still sends must be read, or the kernel resets the connection. */
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
  // One turn later, because data written in the same turn as a RST_STREAM is dropped.
  const reset = (): void => void setImmediate(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
  if (WITHOUT_HEAD.has(fault)) {
    context.breakOff()
    if (fault !== 'close') stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else stream.session?.destroy()
    return
  }
  response.writeHead(200, announcing(payload))
  context.breakOff()
  if (fault === 'empty') reset()
  else if (fault === 'truncate') response.write(half, reset)
  else response.end(half)
}

const JSON_TYPE = 'application/json; charset=utf-8'

function announcing(payload: Buffer): Record<string, string> {
  return { 'Content-Type': JSON_TYPE, 'Content-Length': String(payload.length) }
}
