/** The GraphQL server: Yoga with plugins for limits, error codes and media types. */
import { parse } from 'graphql'
import type { GraphQLSchema } from 'graphql'
import type { YogaServerInstance } from 'graphql-yoga'
import type { Logger, Store } from 'svc/plugin'
import type { AnswerType } from '../answer-type.ts'
import type { RootValue } from '../root-value.ts'
import { useAnswerForm } from './answer-form.ts'
import { createDocumentCache } from './document-cache.ts'
import { useDocumentLimits } from './document-limits.ts'
import { useExecution } from './execution.ts'
import { useOperationChoice } from './operation-choice.ts'
import type { ChosenOperation } from './operation-choice.ts'
import { usePersistedQueries } from './persisted-queries.ts'
import { useStrictRequests } from './strict-requests.ts'

/** Context of a request: values from the route, and values that the plugins determine. */
export interface ServerContext extends ChosenOperation {
  answerType: AnswerType
}
export type YogaServer = YogaServerInstance<ServerContext, object>

export interface YogaServerOptions {
  schema: GraphQLSchema
  rootValue: RootValue
  persistedQueries: Store<string>
  log: Logger
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
}: YogaServerOptions): Promise<YogaServer> {
  const { createYoga, getSSEProcessor, processRegularResult } = await import('graphql-yoga')
  return createYoga<ServerContext>({
    schema,
    graphqlEndpoint: PATH,
    // The order matters: the response format depends on the operation, even if the limits reject it.
    plugins: [
      useStrictRequests(),
      usePersistedQueries(persistedQueries),
      useOperationChoice(),
      useDocumentLimits(parse),
      useExecution(rootValue),
      useAnswerForm({ json: processRegularResult, eventStream: getSSEProcessor() }),
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
