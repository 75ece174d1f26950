/** Echoes WebSocket messages. */
import type { WebSocket } from 'svc/plugin'

/**
 * Sends every message back unchanged and in order, text as text and binary as binary. If a client does not read its
 * echoes, reading from it stops; the core limits the buffered data.
 */
export function echo(socket: WebSocket): void {
  socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }))
}
