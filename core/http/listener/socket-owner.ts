/** What is known of a socket beyond its responses: who else uses it, and whether it has had its last answer. */
import type { Socket } from 'node:net'

const kOwned = Symbol('svc.socket.owned')

/** Says that the socket must not be closed as idle. */
export function ownSocket(socket: Socket): void {
  ;(socket as { [kOwned]?: boolean })[kOwned] = true
}

/** Whether an upgrade or an HTTP/2 session uses the socket. */
export function isOwnedElsewhere(socket: Socket): boolean {
  return (socket as { [kOwned]?: boolean })[kOwned] === true
}

const kRefused = Symbol('svc.socket.refused')

/** Says that a request head was refused: whatever stands behind it on the socket gets no answer of its own. */
export function refuseSocket(socket: Socket): void {
  ;(socket as { [kRefused]?: boolean })[kRefused] = true
}

export function isRefused(socket: object): boolean {
  return (socket as { [kRefused]?: boolean })[kRefused] === true
}
