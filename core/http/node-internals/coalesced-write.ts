/**
 * Sends small responses in one plain write. Node writes a body in pieces (RFC 9112, 7.1: size, data, line end, and an
 * empty piece at the end), and sends pieces with a vectored write, which costs nearly twice as much: a tenth of a whole
 * request.
 *
 * This uses undocumented members of `OutgoingMessage`. If they are missing or have unexpected values, the functions
 * return false and Node's own code runs.
 */
import type { ServerResponse } from 'node:http'

interface Internals {
  _header?: string | null
  _headerSent?: boolean
  _hasBody?: boolean
  _trailer?: string
  _send?(data: string, encoding: 'latin1' | 'utf8', callback: null): boolean
}

/**
 * In bytes. Together with a head this stays below the smallest high-water mark of a socket, so that nobody has to wait
 * for a drain.
 */
const MAX_CHUNK = 14_000

/**
 * Sends the head and a complete body of known length; the caller still ends the message. Returns false if nothing was
 * done.
 */
export function sendWhole(response: ServerResponse, body: string): boolean {
  if (!mayBeWhole(response)) return false
  // ASCII is written as Latin-1: the bytes are the same, but copied instead of encoded one by one. Node encodes a head
  // together with its text.
  send(response, body, isAscii(body) && isAscii((response as Internals)._header!) ? 'latin1' : 'utf8')
  return true
}

/** The same for a small number of bytes. Latin-1 has a character for each byte, so they can follow the head as text. */
export function sendWholeBytes(response: ServerResponse, body: Uint8Array): boolean {
  if (body.byteLength > MAX_CHUNK || !mayBeWhole(response)) return false
  send(response, Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1')
  return true
}

/** Sends one chunk of a chunked body, with its framing. Returns false if nothing was done. */
export function sendChunk(response: ServerResponse, data: string): boolean {
  const bytes = Buffer.byteLength(data)
  if (!mayChunk(response, data, bytes)) return false
  const socket = response.socket!
  // Writes of one turn are sent together.
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  send(response, `${bytes.toString(16)}\r\n${data}\r\n`, bytes === data.length ? 'latin1' : 'utf8')
  return true
}

/**
 * Sends the last chunk of a chunked body and the end of the body; the caller still ends the message. Returns false if
 * nothing was done.
 */
export function sendLastChunk(response: ServerResponse, data: string): boolean {
  const bytes = Buffer.byteLength(data)
  if ((response as Internals)._trailer !== '' || !mayChunk(response, data, bytes)) return false
  send(response, `${bytes.toString(16)}\r\n${data}\r\n0\r\n\r\n`, bytes === data.length ? 'latin1' : 'utf8')
  // Otherwise Node would send the end once more.
  response.chunkedEncoding = false
  return true
}

/** Whether the head is complete but not sent, and the body is not chunked. */
function mayBeWhole(response: ServerResponse): boolean {
  const { _headerSent, _send } = response as Internals
  return _headerSent === false && _send !== undefined && !response.chunkedEncoding && isOpen(response)
}

/** Whether a chunk is small and nothing is queued before it: queued data may be what fills the socket. */
function mayChunk(response: ServerResponse, data: string, bytes: number): boolean {
  const { _header, _headerSent, _send } = response as Internals
  if (
    bytes === 0 ||
    bytes > MAX_CHUNK ||
    _send === undefined ||
    !response.chunkedEncoding ||
    !isOpen(response) ||
    response.writableLength !== 0
  )
    return false
  // Node sends the head of a chunked body as Latin-1, but the text that follows may not be Latin-1.
  return bytes === data.length || _headerSent === true || isAscii(_header!)
}

function send(response: ServerResponse, text: string, encoding: 'latin1' | 'utf8'): void {
  ;(response as Internals)._send!(text, encoding, null)
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Whether the head is complete, a body may follow, and there is a socket to write to. */
function isOpen(response: ServerResponse): boolean {
  const { _header, _hasBody } = response as Internals
  return (
    typeof _header === 'string' &&
    _hasBody === true &&
    !response.writableEnded &&
    !response.destroyed &&
    response.socket !== null
  )
}
