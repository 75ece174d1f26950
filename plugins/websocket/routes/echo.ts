/** `GET /ws`: every message comes back. */
import { describe } from 'svc/plugin'
import type { FastifyInstance, RouteDescription, Svc } from 'svc/plugin'
import { echo } from '../echoing.ts'
import { upgradeRequired } from '../errors.ts'
import { lifetimeOf } from '../lifetime.ts'

const description: RouteDescription = {
  category: 'WebSocket',
  summary: 'Echo messages',
  description:
    'Text and binary, in order; messages up to 1 MiB (public: 256 KiB), a larger one closes with 1009. The first subprotocol offered is selected.',
  protocol: 'websocket',
  responses: { 101: { description: 'The socket is open' }, 426: { description: 'No handshake' } },
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
