/**
 * Tracks the state of a socket beyond its responses: whether something else uses it, and whether its last response was
 * sent.
 */
import type { Socket } from 'node:net'

const kOwned = Symbol('svc.socket.owned')

/** Marks the socket as in use, so that it is not closed as idle. */
export function markSocketInUse(socket: Socket): void {
  ;(socket as { [kOwned]?: boolean })[kOwned] = true
}

/** Whether an upgrade or an HTTP/2 session uses the socket. */
export function isOwnedElsewhere(socket: Socket): boolean {
  return (socket as { [kOwned]?: boolean })[kOwned] === true
}

const kRefused = Symbol('svc.socket.refused')

/** Marks that a request head was rejected: whatever follows it on the socket gets no response. */
export function rejectSocket(socket: Socket): void {
  ;(socket as { [kRefused]?: boolean })[kRefused] = true
}

export function isRefused(socket: object): boolean {
  return (socket as { [kRefused]?: boolean })[kRefused] === true
}
