/** `/graphql/ws` and handshakes at `/graphql`: operations over a WebSocket, with the first supported subprotocol offered. */
import {
  HttpError,
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type Svc,
  type WebSocket,
} from 'svc/plugin'
import { Connection } from '../connection.ts'
import type { Engine } from '../engine.ts'
import { subprotocolMissing } from '../errors.ts'
import { createTransportServer, serveTransport } from '../wire/graphql-transport-ws/serve.ts'
import { serveLegacy } from '../wire/graphql-ws/serve.ts'

const SUBPROTOCOLS = ['graphql-transport-ws', 'graphql-ws']
const NO_IDLE_TIME = Infinity

const description: RouteDescription = {
  summary: 'Run queries, mutations and subscriptions over a WebSocket',
  description:
    'Supports the subprotocols graphql-transport-ws and graphql-ws (the legacy protocol of subscriptions-transport-ws).',
  category: 'GraphQL',
  protocol: 'websocket',
  responses: {
    101: { description: 'Connected with the first supported subprotocol that the client offers' },
    400: { description: 'No supported subprotocol was offered' },
    426: { description: 'Not a WebSocket handshake' },
  },
  examples: [
    {
      name: 'Handshake',
      path: '/graphql/ws',
      headers: [{ name: 'Sec-WebSocket-Protocol', value: 'graphql-transport-ws' }],
      expectStatus: 101,
    },
  ],
  subprotocol: selectSubprotocol,
}

/** The first supported subprotocol that the client offers. */
export function selectSubprotocol(offered: string[]): string | false {
  return offered.find(name => SUBPROTOCOLS.includes(name)) ?? false
}

/** The route options that a GET route needs to accept handshakes. */
export interface SocketOptions {
  preValidation: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | void>)[]
  wsHandler(socket: WebSocket, request: FastifyRequest): void
}

export function createSockets(svc: Svc, engineOf: () => Promise<Engine>): SocketOptions {
  const { idleMs, lifetimeMs } = svc.config.publicMode
    ? { idleMs: 60_000, lifetimeMs: 600_000 }
    : { idleMs: 300_000, lifetimeMs: 3_600_000 }
  let serving: { engine: Engine; server: ReturnType<typeof createTransportServer> } | undefined

  /** Called before the handshake completes, because a message may follow it immediately. */
  async function load(request: FastifyRequest): Promise<void> {
    if (!request.ws || serving !== undefined) return
    const engine = await engineOf()
    serving ??= { engine, server: createTransportServer(engine) }
  }

  return {
    preValidation: [rejectUnsupportedSubprotocols, load],
    wsHandler(socket, request) {
      svc.streams.websocket(request, socket, { lifetimeMs })
      const connection = new Connection(socket, isWatched =>
        svc.streams.websocket(request, socket, { idleMs: isWatched ? idleMs : NO_IDLE_TIME }),
      )
      const { engine, server } = serving!
      if (socket.protocol === 'graphql-ws') serveLegacy(engine, connection)
      else serveTransport(server, connection)
    },
  }
}

export function registerWebSocket(app: FastifyInstance, sockets: SocketOptions): void {
  app.route({
    method: 'GET',
    url: '/graphql/ws',
    ...describe(description),
    ...sockets,
    handler: () => {
      throw new HttpError(426, { error: 'upgrade_required' }, { Upgrade: 'websocket', Connection: 'Upgrade' })
    },
  })
}

async function rejectUnsupportedSubprotocols(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | void> {
  if (!request.ws) return
  const offered = String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map(name => name.trim())
  if (offered.some(name => SUBPROTOCOLS.includes(name))) return
  return reply
    .code(400)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ errors: [subprotocolMissing()] }))
}
