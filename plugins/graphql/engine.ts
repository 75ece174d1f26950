/** Owns how a request is executed, the same for HTTP, event streams and both WebSocket subprotocols. */
import { GraphQLError, execute, getOperationAST, subscribe } from 'graphql'
import type { ExecutionArgs, ExecutionResult, GraphQLSchema, OperationTypeNode } from 'graphql'
import { withCode } from './documents.ts'
import type { Documents } from './documents.ts'
import type { RootValue } from './root-value.ts'

/** What a client asks for, whatever it came by. */
export interface OperationRequest {
  query: string
  variables: Record<string, unknown> | null
  operationName: string | null
}

/** A request that has been looked at; without problems it can be executed. */
export interface PreparedOperation {
  /** Null when no operation could be chosen. */
  type: OperationTypeNode | null
  problems: readonly GraphQLError[]
  /** What the executor wants; null when there are problems. */
  args: ExecutionArgs | null
}

export interface Engine {
  prepare(request: OperationRequest): PreparedOperation
  /** Runs a query or mutation. A result without `data` means that the variables did not fit. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  /** Starts a subscription; a single result means that it could not be started. */
  subscribe(args: ExecutionArgs): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>
}

/** `documents` answers what the engine needs of the schema when the first request comes. */
export function createEngine(schemaOf: () => { schema: GraphQLSchema; documents: Documents }, rootValue: RootValue): Engine {
  return {
    prepare({ query, variables, operationName }) {
      const { schema, documents } = schemaOf()
      const { document, problems } = documents.check(query)
      if (document === null) return { type: null, problems, args: null }
      const operation = getOperationAST(document, operationName)
      const type = operation?.operation ?? null
      if (problems.length > 0) return { type, problems, args: null }
      if (operation == null) return { type, problems: [unresolvedOperation(operationName)], args: null }
      return { type, problems, args: { schema, document, rootValue, variableValues: variables, operationName } }
    },
    execute: async args => withVariableCode(await execute(args)),
    async subscribe(args) {
      const outcome = await subscribe(args)
      return Symbol.asyncIterator in outcome ? outcome : withVariableCode(outcome)
    },
  }
}

/** GetOperation (GraphQL, 6.1). */
function unresolvedOperation(operationName: string | null): GraphQLError {
  const message = operationName === null
    ? 'the document must have exactly one operation, or operationName must name one'
    : `the document has no operation named ${JSON.stringify(operationName.slice(0, 100))}`
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })
}

function withVariableCode(result: ExecutionResult): ExecutionResult {
  return isRequestError(result) ? { errors: result.errors?.map(error => withCode(error, 'BAD_USER_INPUT')) } : result
}

/** Whether the result says that nothing was executed (GraphQL, 7.1.2: no `data` entry). */
export function isRequestError(result: ExecutionResult): boolean {
  return !('data' in result)
}
