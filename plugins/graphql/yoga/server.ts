/** Owns the GraphQL server: Yoga with the plugins that give it this project's limits, error codes and media types. */
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

/** What the route hands over with a request, and what is found out about it on the way. */
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
/** Where Yoga is asked; the host of a request is of no concern to it. */
export const ENDPOINT = `http://localhost${PATH}`

/** The package is loaded with the first request: it would be a good part of a start's time otherwise. */
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
    // The order matters: an answer's form depends on the operation, also where the limits refuse it.
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
    // The pipeline's own: CORS, the bound on bodies, pages.
    cors: false,
    maxRequestBodySize: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
  })
}

function ignore(): void {}
