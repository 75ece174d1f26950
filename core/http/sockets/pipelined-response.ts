/** Responses that wait for an earlier one on their connection. */
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'

/**
 * Calls back if the connection is lost before the response is assigned to it. HTTP/1.1 allows pipelining, and Node does
 * not notify a waiting response that the connection is lost.
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
