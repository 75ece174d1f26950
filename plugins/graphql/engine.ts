/** Executes the operations of both WebSocket subprotocols with Yoga and all of its plugins. */
import {
  GraphQLError,
  getOperationAST,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationTypeNode,
  type validate as Validate,
} from 'graphql'
import type { PersistedDocuments } from './documents/persisted-documents.ts'
import { rejectedDocument, withoutStatus } from './errors.ts'
import { isRequestError } from './execution/request-errors.ts'
import type { Run } from './execution/run.ts'
import type { SocketOperation } from './types.ts'
import type { YogaServer } from './yoga/server.ts'

/** An operation that can be executed, or the errors that prevent it. */
export type PreparedOperation =
  | { args: ExecutionArgs; type: OperationTypeNode }
  | { args: null; problems: readonly GraphQLError[] }

export interface Engine {
  prepare(request: SocketOperation, run: Run): PreparedOperation
  /** Runs a query or mutation. A result with errors and without `data` means that the variables are invalid; with `@defer`, in parts. */
  execute(args: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>
  /** Starts a subscription; a single result means that it failed to start. */
  subscribe(args: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>
}

export function createEngine(yoga: YogaServer, documents: Pick<PersistedDocuments, 'check'>): Engine {
  const { getEnveloped } = yoga
  const { execute, subscribe } = getEnveloped({})
  return {
    prepare({ query, variables, operationName }, run) {
      const contextValue = { params: { operationName: operationName ?? undefined }, run }
      const { schema, parse, validate } = getEnveloped(contextValue) as {
        schema: GraphQLSchema
        parse(text: string): DocumentNode
        validate: typeof Validate
      }
      try {
        documents.check(query)
        const document = parse(query)
        const problems = validate(schema, document)
        if (problems.length > 0) return refused(problems)
        return {
          args: { schema, document, contextValue, variableValues: variables, operationName },
          type: getOperationAST(document, operationName)!.operation,
        }
      } catch (error) {
        if (!(error instanceof GraphQLError)) throw error
        return refused([rejectedDocument(error, 'GRAPHQL_PARSE_FAILED')])
      }
    },
    async execute(args) {
      const outcome = (await execute(args)) as AsyncIterableIterator<ExecutionResult> | ExecutionResult
      return Symbol.asyncIterator in outcome ? outcome : sent(outcome)
    },
    async subscribe(args) {
      const outcome = (await subscribe(args)) as AsyncIterableIterator<ExecutionResult> | ExecutionResult
      return Symbol.asyncIterator in outcome ? outcome : sent(outcome)
    },
  }
}

function refused(problems: readonly GraphQLError[]): PreparedOperation {
  return { args: null, problems: problems.map(withoutStatus) }
}

function sent(result: ExecutionResult): ExecutionResult {
  return isRequestError(result) ? { errors: result.errors?.map(withoutStatus) } : result
}
