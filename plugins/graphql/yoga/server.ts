/** The GraphQL server: Yoga with plugins for limits, error codes and media types. */
import { parse, type GraphQLSchema } from 'graphql'
import type { YogaServerInstance } from 'graphql-yoga'
import type { Logger, Store } from 'svc/plugin'
import type { PersistedDocuments } from '../documents/persisted-documents.ts'
import type { Run } from '../execution/run.ts'
import type { RequestOptions } from '../requests/http-request.ts'
import type { DocumentLimits } from '../types.ts'
import { useResponseFormat, type FormatContext } from './response-format.ts'
import { createDocumentCache } from './document-cache.ts'
import { useDocumentLimits } from './document-limits.ts'
import { useExecution } from './execution.ts'
import { useOperationSelection } from './operation-selection.ts'
import { usePersistedDocuments } from './persisted-documents.ts'
import { usePersistedQueries } from './persisted-queries.ts'
import { useStrictRequests } from './strict-requests.ts'

/** Context of a request: values from the route, and values that the plugins determine. */
export interface ServerContext extends FormatContext {
  run: Run
}
export type YogaServer = YogaServerInstance<ServerContext, object>

export interface YogaServerOptions {
  schema: GraphQLSchema
  rootValue: object
  persistedQueries: Store<string>
  documents: PersistedDocuments
  log: Logger
  limits: DocumentLimits
  /** The path of the graph, for messages. */
  path: string
  requests: RequestOptions
}

const PATH = '/graphql'
/** The URL passed to Yoga, which does not depend on the host of the request. */
export const ENDPOINT = `http://localhost${PATH}`

/** Loads the package with the first request, because it would slow down the start. */
export async function createYogaServer({
  schema,
  rootValue,
  persistedQueries,
  documents,
  log,
  limits,
  path,
  requests,
}: YogaServerOptions): Promise<YogaServer> {
  const { createYoga, getSSEProcessor, processRegularResult } = await import('graphql-yoga')
  return createYoga<ServerContext>({
    schema,
    graphqlEndpoint: PATH,
    // The order matters: the response format depends on the operation, even if the limits reject it.
    plugins: [
      useStrictRequests(requests),
      usePersistedQueries(persistedQueries),
      usePersistedDocuments(documents),
      useOperationSelection(),
      useDocumentLimits(parse, limits),
      useExecution(rootValue),
      useResponseFormat({ json: processRegularResult, eventStream: getSSEProcessor() }, path),
    ],
    // The requests are read above; Yoga checks the number again.
    batching: requests.batching === 0 ? false : { limit: requests.batching },
    extraParamNames: ['documentId'],
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
