/** Owns how a WebSocket is echoed. */
import type { WebSocket } from 'svc/plugin'

/**
 * Sends every message back as it came: text as text, binary as binary, in order. A client that does not read its echoes is
 * not read from either: the core bounds what waits for it.
 */
export function echo(socket: WebSocket): void {
  socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }))
}
