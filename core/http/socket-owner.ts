/** Sockets that are in use although no HTTP/1.1 response is open on them: WebSockets, HTTP/2 sessions. */
import type { Socket } from 'node:net'

const kOwned = Symbol('svc.socket.owned')

/** Says that the socket must not be closed as idle. */
export function ownSocket(socket: Socket): void {
  (socket as { [kOwned]?: boolean })[kOwned] = true
}

/** Whether an upgrade or an HTTP/2 session uses the socket. */
export function isOwnedElsewhere(socket: Socket): boolean {
  return (socket as { [kOwned]?: boolean })[kOwned] === true
}
