/** Responses that wait behind another one on their connection. */
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'

/**
 * Calls back when the connection is lost before the response has got it: HTTP/1.1 allows requests to be pipelined, and
 * Node tells a response that waits behind another nothing of the loss.
 */
export function onLossWhileQueued(response: ServerResponse | Http2ServerResponse, callback: () => void): void {
  if ('stream' in response || response.socket) return
  const { socket } = response.req
  socket.setMaxListeners(socket.getMaxListeners() + 1)
  socket.once('close', callback)
  response.once('socket', () => {
    socket.off('close', callback)
    socket.setMaxListeners(socket.getMaxListeners() - 1)
  })
}
