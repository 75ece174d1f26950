/** What serves one graph, created with the first request: Yoga, the engine of its sockets, and the runs of operations. */
import type { GraphQLSchema } from 'graphql'
import type { Store, Svc } from 'svc/plugin'
import type { PersistedDocuments } from './documents/persisted-documents.ts'
import { createEngine, type Engine } from './engine.ts'
import { federationFields } from './federation/root-fields.ts'
import { federatedSchema } from './federation/schema.ts'
import { lazy } from './lazy.ts'
import { DEFAULT_LIMITS } from './query-cost.ts'
import { Runs } from './runs.ts'
import type { OperationStepFinders } from './socket-steps.ts'
import type { DocumentLimits, Graph } from './types.ts'
import type { Callbacks } from './wire/callback/callbacks.ts'
import { createYogaServer, type YogaServer } from './yoga/server.ts'

export interface GraphServer {
  path: string
  graph: Graph
  limits: DocumentLimits
  /** Whether requests are refused that any page can make a browser send. */
  csrf: boolean
  documents: PersistedDocuments
  callbacks: Callbacks
  /** Of operations on sockets. */
  steps: OperationStepFinders
  schema(): GraphQLSchema
  yoga(): Promise<YogaServer>
  engine(): Promise<Engine>
  runs: Runs
}

const MAX_REPRESENTATIONS = { normal: 1000, public: 200 }
const MAX_FILES = { normal: 10, public: 3 }

/** What all graphs share. */
export interface GraphServices {
  persistedQueries: Store<string>
  documents: PersistedDocuments
  callbacks: Callbacks
  /** Of operations on sockets. */
  steps: OperationStepFinders
  /** Whether requests are refused that any page can make a browser send. */
  csrf: boolean
}

export function createGraphServer(svc: Svc, path: string, graph: Graph, services: GraphServices): GraphServer {
  const { persistedQueries, documents, callbacks, steps, csrf } = services
  const { federation, sdl } = graph
  if (federation !== undefined && sdl === undefined) throw new Error(`the subgraph at ${path} has no SDL`)
  const federated = lazy(() => federatedSchema(sdl!))
  const schema = lazy(() => (graph.schema === undefined ? federated().schema : graph.schema()))
  const limits = { ...DEFAULT_LIMITS, ...graph.limits }
  const rootValue = {
    ...graph.root,
    ...(federation === undefined
      ? {}
      : federationFields({
          sdl: sdl!,
          federation,
          entities: () => federation.entities ?? federated().entities,
          maxRepresentations: MAX_REPRESENTATIONS[svc.config.publicMode ? 'public' : 'normal'],
        })),
  }
  const requests = {
    batching: graph.batching ?? 0,
    maxFiles: graph.uploads === true ? MAX_FILES[svc.config.publicMode ? 'public' : 'normal'] : 0,
  }
  const yoga = lazy(() =>
    createYogaServer({
      schema: schema(),
      rootValue,
      persistedQueries,
      documents,
      log: svc.log,
      limits,
      path,
      requests,
    }),
  )
  return {
    path,
    graph,
    limits,
    csrf: csrf || graph.csrf === true,
    schema,
    yoga,
    documents,
    callbacks,
    steps,
    engine: lazy(async () => createEngine(await yoga(), documents)),
    runs: new Runs(svc, graph, limits),
  }
}
