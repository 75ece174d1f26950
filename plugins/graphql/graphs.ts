/** Serves the graphs of this plugin and of others: the extension point `graphql.graphs`. */
import type { FastifyInstance, Svc } from 'svc/plugin'
import { readWord, SDL_KINDS } from './faults/plan.ts'
import { brokenSdl } from './federation/broken-sdl.ts'
import { paceEvents } from './paced-sequence.ts'
import { createGraphServer, type GraphServices } from './graph-server.ts'
import { registerHttp } from './routes/http.ts'
import { registerSchema } from './routes/schema.ts'
import { registerStream } from './routes/stream.ts'
import { createSockets, registerWebSocket } from './routes/websocket.ts'
import type { Graph, Graphs } from './types.ts'

export function createGraphs(svc: Svc, services: GraphServices): Graphs {
  return {
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
