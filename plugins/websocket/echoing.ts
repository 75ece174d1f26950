/** Owns how a WebSocket is echoed without filling memory. */
import type { WebSocket } from 'svc/plugin'

/** Bytes of echoes that wait for the client, beyond which nothing more is read from it. */
const PAUSE_ABOVE = 4 * 1024 * 1024
const RESUME_BELOW = PAUSE_ABOVE / 4

/**
 * Sends every message back as it came: text as text, binary as binary, in order. A client that does not read its
 * echoes is not read from either, so that what waits for it stays bounded.
 */
export function echo(socket: WebSocket): void {
  const resumeWhenRead = (): void => {
    if (socket.isPaused && socket.bufferedAmount < RESUME_BELOW) socket.resume()
  }
  socket.on('message', (message, isBinary) => {
    socket.send(message, { binary: isBinary }, resumeWhenRead)
    if (!socket.isPaused && socket.bufferedAmount > PAUSE_ABOVE) socket.pause()
  })
}
