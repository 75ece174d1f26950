/**
 * Handles unsupported upgrades. As soon as a server supports upgrades at all, Node passes the bare socket for every
 * `Upgrade` header. An `Upgrade: h2c` (which Java's HTTP client sends with every first request, bodies included) would
 * then lose its body and its connection. A server may ignore the field (RFC 9110, 7.8), so the head is put back on the
 * socket without it, and the HTTP server parses the request again.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerRequest } from '../request/types.ts'

const kAsSent = Symbol('svc.socket.asSent')
interface Replayed {
  [kAsSent]?: { rawHeaders: string[]; upgrade: string | undefined; connection: string | undefined }
}

/** Returns the socket to the HTTP server, with the same request minus its upgrade. */
export function replayWithoutUpgrade(
  request: IncomingMessage,
  socket: Socket,
  rest: Buffer,
  replay: (socket: Socket) => void,
): void {
  const { rawHeaders, headers } = request
  ;(socket as Replayed)[kAsSent] = { rawHeaders, upgrade: headers.upgrade, connection: headers.connection }
  let head = `${request.method} ${request.url} HTTP/${request.httpVersion}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    const lower = name.toLowerCase()
    if (lower === 'upgrade' || lower === 'http2-settings') continue
    const value = lower === 'connection' ? withoutUpgradeToken(rawHeaders[index + 1]!) : rawHeaders[index + 1]!
    if (value !== '' || lower !== 'connection') head += `${name}: ${value}\r\n`
  }
  socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]))
  replay(socket)
}

function withoutUpgradeToken(connection: string): string {
  return connection
    .split(',')
    .map(token => token.trim())
    .filter(token => !/^(?:upgrade|http2-settings)$/i.test(token))
    .join(', ')
}

/** Routes see the headers as they were sent. */
export function restoreUpgradeHeaders(request: ServerRequest): void {
  const socket = request.socket as Replayed | null
  const asSent = socket?.[kAsSent]
  if (asSent === undefined) return
  socket![kAsSent] = undefined
  ;(request as { rawHeaders: string[] }).rawHeaders = asSent.rawHeaders
  request.headers.upgrade = asSent.upgrade
  request.headers.connection = asSent.connection
}
