/** `GET /ws`: echoes every message. */
import { describe, type FastifyInstance, type RouteDescription, type Svc, type WebSocket } from 'svc/plugin'
import { upgradeRequired } from '../errors.ts'
import { lifetimeOf } from '../lifetime.ts'

const description: RouteDescription = {
  category: 'WebSocket',
  summary: 'Echo messages',
  description:
    'Echoes text and binary messages in order, up to 1 MiB each (256 KiB on public instances); a larger message closes the connection with 1009. Selects the first offered subprotocol.',
  protocol: 'websocket',
  responses: { 101: { description: 'The WebSocket is open' }, 426: { description: 'Not a WebSocket handshake' } },
  examples: [{ name: 'Echo', path: '/ws', expectStatus: 101 }],
}

export function registerEcho(app: FastifyInstance, svc: Svc): void {
  const limits = lifetimeOf(svc.config)
  app.route({
    method: 'GET',
    url: '/ws',
    ...describe(description),
    handler: () => {
      throw upgradeRequired()
    },
    wsHandler: (socket, request) => {
      svc.streams.websocket(request, socket, limits)
      echo(socket)
    },
  })
}

/**
 * Sends every message back unchanged and in order, text as text and binary as binary. If a client does not read its
 * echoes, reading from it stops; the core limits the buffered data.
 */
function echo(socket: WebSocket): void {
  socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }))
}
