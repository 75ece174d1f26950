/** `GET /ws`: echoes every message. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { echo } from '../echoing.ts'
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
