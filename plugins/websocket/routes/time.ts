/** `GET /ws/time`: sends the time at intervals. */
import { describe, readQuery, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { upgradeRequired } from '../errors.ts'
import { lifetimeOf } from '../lifetime.ts'
import { readTicks, tick } from '../ticker.ts'

const description: RouteDescription = {
  category: 'WebSocket',
  summary: 'Send the time at intervals',
  description: 'Sends `{"tick": n, "timestamp": …}`, counting from 0, then closes the connection normally.',
  protocol: 'websocket',
  parameters: [
    {
      name: 'interval_ms',
      in: 'query',
      description: 'Milliseconds between ticks; clamped to the range 100 to 60000',
      schema: { type: 'integer', minimum: 100, maximum: 60_000, default: 1000 },
    },
    {
      name: 'count',
      in: 'query',
      description: 'Number of ticks; clamped to the range 1 to 1000',
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 10 },
    },
  ],
  responses: {
    101: { description: 'The WebSocket is open' },
    400: { description: 'A parameter is not an integer' },
    426: { description: 'Not a WebSocket handshake' },
  },
  examples: [{ name: 'Three ticks', path: '/ws/time?interval_ms=200&count=3', expectStatus: 101 }],
}

export function registerTime(app: FastifyInstance, svc: Svc): void {
  const { lifetimeMs } = lifetimeOf(svc.config)
  app.route({
    method: 'GET',
    url: '/ws/time',
    ...describe(description),
    // Before the handshake is accepted; afterwards no status can be sent.
    preValidation: async request => {
      if (request.ws) readTicks(readQuery(request))
    },
    handler: () => {
      throw upgradeRequired()
    },
    wsHandler: (socket, request) => {
      svc.streams.websocket(request, socket, { lifetimeMs })
      tick(socket, readTicks(readQuery(request)))
    },
  })
}
