/** The TCP socket below a TLS one: only that one can be reset. */
import type { Socket } from 'node:net'

const kTransport = Symbol('svc.socket.transport')
interface Secured {
  [kTransport]?: Socket
}

/** Notes what a TLS socket runs on. */
export function setTransport(secured: Socket, plain: Socket): void {
  ;(secured as Secured)[kTransport] = plain
}

/** The TCP socket of a connection, be it plain or TLS. */
export function transportOf(socket: Socket): Socket {
  return (socket as Secured)[kTransport] ?? socket
}
