/** The TCP socket below a TLS socket: only the TCP socket can be reset. */
import type { Socket } from 'node:net'

const kTransport = Symbol('svc.socket.transport')
interface Secured {
  [kTransport]?: Socket
}

/** Records the TCP socket of a TLS socket. */
export function setTransport(secured: Socket, plain: Socket): void {
  ;(secured as Secured)[kTransport] = plain
}

/** The TCP socket of a connection, plain or TLS. */
export function transportOf(socket: Socket): Socket {
  return (socket as Secured)[kTransport] ?? socket
}
