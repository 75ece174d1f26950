/** The GraphQL server: Yoga with plugins for limits, error codes and media types. */
import { parse, type GraphQLSchema } from 'graphql'
import type { YogaServerInstance } from 'graphql-yoga'
import type { Logger, Store } from 'svc/plugin'
import type { ResponseType } from '../response-type.ts'
import type { Run } from '../execution/run.ts'
import type { DocumentLimits } from '../types.ts'
import { useResponseFormat } from './response-format.ts'
import { createDocumentCache } from './document-cache.ts'
import { useDocumentLimits } from './document-limits.ts'
import { useExecution } from './execution.ts'
import { useOperationSelection, type SelectedOperation } from './operation-selection.ts'
import { usePersistedQueries } from './persisted-queries.ts'
import { useStrictRequests } from './strict-requests.ts'

/** Context of a request: values from the route, and values that the plugins determine. */
export interface ServerContext extends SelectedOperation {
  responseType: ResponseType
  run: Run
}
export type YogaServer = YogaServerInstance<ServerContext, object>

export interface YogaServerOptions {
  schema: GraphQLSchema
  rootValue: object
  persistedQueries: Store<string>
  log: Logger
  limits: DocumentLimits
  /** The path of the graph, for messages. */
  path: string
}

const PATH = '/graphql'
/** The URL passed to Yoga, which does not depend on the host of the request. */
export const ENDPOINT = `http://localhost${PATH}`

/** Loads the package with the first request, because it would slow down the start. */
export async function createYogaServer({
  schema,
  rootValue,
  persistedQueries,
  log,
  limits,
  path,
}: YogaServerOptions): Promise<YogaServer> {
  const { createYoga, getSSEProcessor, processRegularResult } = await import('graphql-yoga')
  return createYoga<ServerContext>({
    schema,
    graphqlEndpoint: PATH,
    // The order matters: the response format depends on the operation, even if the limits reject it.
    plugins: [
      useStrictRequests(),
      usePersistedQueries(persistedQueries),
      useOperationSelection(),
      useDocumentLimits(parse, limits),
      useExecution(rootValue),
      useResponseFormat({ json: processRegularResult, eventStream: getSSEProcessor() }, path),
    ],
    parserAndValidationCache: createDocumentCache(),
    logging: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (error: unknown) => log.error('a GraphQL request failed', { error: String(error) }),
    },
    // The pipeline of the service does this: CORS, body limits, pages.
    cors: false,
    maxRequestBodySize: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
  })
}

function ignore(): void {}
