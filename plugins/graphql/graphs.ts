/** Serves the graphs of this plugin and of others: the extension point `graphql.graphs`. */
import type { FastifyInstance, Svc } from 'svc/plugin'
import { readWord, SDL_KINDS } from './faults/plan.ts'
import { brokenSdl } from './federation/broken-sdl.ts'
import { paceEvents } from './paced-sequence.ts'
import { createGraphServer, type GraphServer, type GraphServices } from './graph-server.ts'
import { createHttpHandlers, registerHttp } from './routes/http.ts'
import { registerSchema } from './routes/schema.ts'
import { createReservations, createStreamHandlers, registerStream } from './routes/stream.ts'
import { createSockets, registerWebSocket } from './routes/websocket.ts'
import type { Reservations } from './wire/graphql-sse/reservations.ts'
import type { Graph, Graphs, MountedGraph } from './types.ts'

export function createGraphs(svc: Svc, services: GraphServices): Graphs {
  // Of all mounted graphs: a stream outlives a new version of its graph.
  const reservations = createReservations(svc)
  return {
    mount: (path, graph) => mount(svc, createGraphServer(svc, path, graph, services), reservations),
    serve(app: FastifyInstance, path: string, graph: Graph): void {
      const server = createGraphServer(svc, path, graph, services)
      const sockets = createSockets(svc, server)
      registerHttp(app, svc, server, sockets)
      registerSchema(app, server)
      registerWebSocket(app, server, sockets)
      registerStream(app, svc, server)
    },
    pace: paceEvents,
    sdlKinds: SDL_KINDS,
    brokenSdl: (sdl, kind) => brokenSdl(sdl, readWord(kind, SDL_KINDS, 'kind')) ?? '',
  }
}

function mount(svc: Svc, server: GraphServer, reservations: Reservations): MountedGraph {
  const { get, post } = createHttpHandlers(svc, server)
  const streams = createStreamHandlers(svc, server, reservations)
  const { preValidation, wsHandler } = createSockets(svc, server)
  return {
    operations: (request, reply) => (request.method === 'POST' ? post(request, reply) : get(request, reply)),
    async stream(request, reply) {
      switch (request.method) {
        case 'PUT':
          return streams.put(request, reply)
        case 'POST':
          return streams.post(request, reply)
        case 'DELETE':
          return streams.delete(request, reply)
        default:
          return streams.get(request, reply)
      }
    },
    async accept(request, reply) {
      for (const step of preValidation) {
        const refused = await step(request, reply)
        if (refused !== undefined) return refused
      }
    },
    open: wsHandler,
  }
}
