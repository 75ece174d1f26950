/** `/mock/{name}` of a GraphQL schema: `/`, `/graphql`, `/ws`, `/stream` and `/schema.graphql`, by the extension point `graphql.graphs`. */
import { HttpError, type FastifyReply, type FastifyRequest, type WebSocket } from 'svc/plugin'
import type { Graph, Graphs, MountedGraph } from '../../graphql/types.ts'
import type { ValueContext } from '../graph/values.ts'
import type { GraphLive } from '../management/live.ts'
import type { GraphMock } from '../management/mock.ts'
import type { Service } from '../management/service.ts'
import { GraphCall } from './graph-call.ts'

const METHODS: Record<string, readonly string[] | undefined> = {
  '': ['GET', 'HEAD', 'POST'],
  '/graphql': ['GET', 'HEAD', 'POST'],
  '/stream': ['PUT', 'GET', 'POST', 'DELETE'],
  '/ws': ['GET'],
  '/schema.graphql': ['GET', 'HEAD'],
}

/** Serves the schemas of the mocks, each deployed version by its own handlers. */
export class GraphRoutes {
  readonly #service: Service
  readonly #mounted = new WeakMap<GraphLive, MountedGraph>()
  readonly #replies = new WeakMap<FastifyRequest, FastifyReply>()
  readonly #sockets = new WeakMap<FastifyRequest, MountedGraph>()

  constructor(service: Service) {
    this.#service = service
  }

  /** Handles a request; null if the mock has nothing at the path. `path` is below the mock. */
  async handle(
    mock: GraphMock,
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | null> {
    const place = path === '/' ? '' : path
    const methods = Object.hasOwn(METHODS, place) ? METHODS[place] : undefined
    if (methods === undefined) return null
    this.#describe(mock, reply)
    if (!methods.includes(request.method))
      throw new HttpError(405, { error: 'method_not_allowed', allow: [...methods] }, { Allow: methods.join(', ') })
    if (place === '/schema.graphql') return this.#schema(mock, reply)
    if (place === '/ws')
      throw new HttpError(426, { error: 'upgrade_required' }, { Upgrade: 'websocket', Connection: 'Upgrade' })
    const mounted = this.#mount(mock)
    this.#replies.set(request, reply)
    return place === '/stream' ? mounted.stream(request, reply) : mounted.operations(request, reply)
  }

  /** Before the handshake at `/ws` completes. Replies if it is refused. */
  async accept(mock: GraphMock, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
    this.#describe(mock, reply)
    const mounted = this.#mount(mock)
    this.#sockets.set(request, mounted)
    return mounted.accept(request, reply)
  }

  open(socket: WebSocket, request: FastifyRequest): void {
    this.#sockets.get(request)!.open(socket, request)
  }

  #describe({ name, version }: GraphMock, reply: FastifyReply): void {
    reply.header('X-Svc-Mock', name).header('X-Svc-Mock-Version', String(version))
  }

  async #schema(mock: GraphMock, reply: FastifyReply): Promise<FastifyReply> {
    const text = await this.#service.mocks.text(mock.current?.sha256 ?? '')
    return reply.type('text/plain; charset=utf-8').send(text)
  }

  /** Throws if the plugin `graphql` is disabled. */
  #mount(mock: GraphMock): MountedGraph {
    let mounted = this.#mounted.get(mock.live)
    if (mounted === undefined) {
      const graphs = this.#service.svc.use('graphql.graphs')
      if (!graphs)
        throw new HttpError(503, {
          error: 'plugin_disabled',
          message: 'mocks of GraphQL schemas need the plugin graphql',
        })
      mounted = graphs.mount(`/mock/${mock.name}`, this.#graph(mock, graphs))
      this.#mounted.set(mock.live, mounted)
    }
    return mounted
  }

  #graph(mock: GraphMock, { pace }: Graphs): Graph {
    const { graph, parts } = mock.live
    const { settings } = parts
    const { answerFields, batch } = this.#service.registry.options.bounds.graph
    return {
      title: `Mock ${mock.name}`,
      category: 'API Mocks',
      example: '{ __typename }',
      schema: () => graph.executable(pace),
      sdl: graph.source.sdl,
      context: ({ request }) =>
        new GraphCall(this.#service, this.#current(mock), request, this.#replies.get(request) ?? null),
      around: (operation, run) => (operation.context as GraphCall).run(operation, run),
      limits: { depth: settings.depth, complexity: settings.complexity, aliases: 500, answerFields },
      batching: Math.min(settings.batching, batch),
      csrf: settings.csrf,
      uploads: graph.source.schema.getType('Upload') !== undefined,
      ...(graph.isFederated
        ? {
            federation: {
              entities: graph.shapes.entities,
              resolve: (typename, representation, context) =>
                graph.engine.entity(typename, representation, context as ValueContext),
            },
          }
        : {}),
    }
  }

  /** The mock with its present version number: an edit that keeps the definition makes a new object. */
  #current(mock: GraphMock): GraphMock {
    const present = this.#service.registry.get(mock.name)
    return present?.live === mock.live ? (present as GraphMock) : mock
  }
}
