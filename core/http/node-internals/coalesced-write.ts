/**
 * Small answers leave in one plain write. Node hands a body to the socket in pieces (RFC 9112, 7.1: size, data, line end;
 * after the last an empty one that tells of the end), and pieces go out by a vectored write, which costs nearly twice as
 * much: a tenth of a whole request.
 *
 * This uses members of `OutgoingMessage` that are not documented, though they have been there since Node's beginning.
 * Where they are missing or say anything unusual, the answer is no, and Node does it in its own way.
 */
import type { ServerResponse } from 'node:http'

interface Internals {
  _header?: string | null
  _headerSent?: boolean
  _hasBody?: boolean
  _trailer?: string
  _send?(data: string, encoding: 'latin1' | 'utf8', callback: null): boolean
}

/** Bytes; with a head before them below the least high-water mark of a socket, so that nobody has to wait for its draining. */
const MAX_CHUNK = 14_000

/** Sends the head and a whole body of known length; the caller still ends the message. False: nothing was done. */
export function sendWhole(response: ServerResponse, body: string, bytes = Buffer.byteLength(body)): boolean {
  const { _headerSent, _send } = response as Internals
  if (_headerSent !== false || _send === undefined || response.chunkedEncoding || !isOpen(response)) return false
  send(response, body, bytes === body.length)
  return true
}

/** The same for bytes, where they are few: Latin-1 has a character for each, so that they can follow the head as text. */
export function sendWholeBytes(response: ServerResponse, body: Uint8Array): boolean {
  return body.byteLength <= MAX_CHUNK && sendWhole(response, Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), body.byteLength)
}

/** Sends one chunk of a chunked body, with its framing. False: nothing was done. */
export function sendChunk(response: ServerResponse, data: string, bytes = Buffer.byteLength(data)): boolean {
  if (!mayChunk(response, bytes)) return false
  const socket = response.socket!
  // Writes of one turn leave together.
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  send(response, `${bytes.toString(16)}\r\n${data}\r\n`, bytes === data.length)
  return true
}

/** Sends the last chunk of a chunked body and the end of the body; the caller still ends the message. False: nothing was done. */
export function sendLastChunk(response: ServerResponse, data: string, bytes = Buffer.byteLength(data)): boolean {
  if ((response as Internals)._trailer !== '' || !mayChunk(response, bytes)) return false
  send(response, `${bytes.toString(16)}\r\n${data}\r\n0\r\n\r\n`, bytes === data.length)
  // Node would send the end once more.
  response.chunkedEncoding = false
  return true
}

/** Sends a head that is decided, but has not left. */
export function sendHead(response: ServerResponse): void {
  const { _headerSent } = response as Internals
  if (_headerSent === false) response.flushHeaders()
}

/** Whether a chunk of so many bytes is small, and nothing else comes before it: what waits may be what fills the socket. */
function mayChunk(response: ServerResponse, bytes: number): boolean {
  const { _send } = response as Internals
  return bytes > 0 && bytes <= MAX_CHUNK && _send !== undefined && response.chunkedEncoding && isOpen(response) && response.writableLength === 0
}

/** ASCII is written as Latin-1: the same bytes, copied instead of encoded one by one. */
function send(response: ServerResponse, text: string, isAscii: boolean): void {
  (response as Internals)._send!(text, isAscii ? 'latin1' : 'utf8', null)
}

/** Whether the head is decided, a body may follow, and there is a socket to write to. */
function isOpen(response: ServerResponse): boolean {
  const { _header, _hasBody } = response as Internals
  return typeof _header === 'string' && _hasBody === true && !response.writableEnded && !response.destroyed && response.socket !== null
}
