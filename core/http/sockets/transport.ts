/** The TCP socket below a TLS socket: only the TCP socket can be reset, and always has addresses. */
import type { Socket } from 'node:net'

const kTransport = Symbol('svc.socket.transport')
interface Secured {
  [kTransport]?: Socket
}

const ADDRESSES = ['remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort', 'localFamily'] as const

/** Records the TCP socket of a TLS socket. A TLS socket over any other stream gets its addresses. */
export function setTransport(secured: Socket, plain: Socket): void {
  ;(secured as Secured)[kTransport] = plain
  if (secured.remoteAddress !== undefined) return
  for (const name of ADDRESSES) Object.defineProperty(secured, name, { get: () => plain[name], configurable: true })
}

/** The TCP socket of a connection, plain or TLS. */
export function transportOf(socket: Socket): Socket {
  return (socket as Secured)[kTransport] ?? socket
}
