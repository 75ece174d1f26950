/** Breaking a connection off. */
import type { Socket } from 'node:net'

/**
 * Closes a TCP connection with RST. One that is shutting down already is closed without: the operating system refuses to reset
 * it (`EINVAL`), and Node would never close it then.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
