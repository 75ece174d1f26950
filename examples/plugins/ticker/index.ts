/** Streams: prices as server-sent events and over a WebSocket. */
import { HttpError, definePlugin, describe, integerParameter, readQuery, type FastifyRequest } from 'svc/plugin'
import { setTimeout as sleep } from 'node:timers/promises'

const INTERVAL_MS = 100

export default definePlugin({
  title: 'Ticker',
  description: 'Streams stock prices.',
  paths: ['/ticker'],
  register(app, svc) {
    app.get(
      '/ticker/events',
      describe({
        summary: 'Prices as server-sent events',
        category: 'Ticker',
        protocol: 'sse',
        parameters: [{ name: 'count', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 3 } }],
        examples: [{ name: 'Three prices', path: '/ticker/events?count=3', expectStatus: 200 }],
      }),
      async (request, reply) => {
        const count = countOf(request)
        const stream = svc.streams.sse(request, reply)
        // The limit of open streams is reached, and a 429 has been sent.
        if (stream === null) return
        for (let index = 0; index < count && !stream.closed; index++) {
          stream.send({ id: index, event: 'price', data: price(index) })
          // The signal ends the wait if the client disconnects or the server stops.
          await sleep(INTERVAL_MS, undefined, { signal: stream.signal }).catch(() => {})
        }
        stream.end()
      },
    )

    app.route({
      method: 'GET',
      url: '/ticker/socket',
      ...describe({
        summary: 'Prices over a WebSocket, one per message',
        category: 'Ticker',
        protocol: 'websocket',
        examples: [{ name: 'Connect', path: '/ticker/socket', expectStatus: 101 }],
      }),
      handler: () => {
        throw new HttpError(426, { error: 'upgrade_required' }, { Upgrade: 'websocket', Connection: 'Upgrade' })
      },
      wsHandler(socket, request) {
        svc.streams.websocket(request, socket, { idleMs: 60_000, lifetimeMs: 600_000 })
        let index = 0
        socket.on('message', () => socket.send(JSON.stringify(price(index++))))
      },
    })
  },
})

function countOf(request: FastifyRequest): number {
  return integerParameter(readQuery(request), 'count', { fallback: 3, min: 1, max: 100 })
}

/** Deterministic, so that demos can be repeated. */
function price(index: number): { symbol: string; cents: number } {
  return { symbol: 'ACME', cents: 1000 + ((index * 37) % 100) }
}
