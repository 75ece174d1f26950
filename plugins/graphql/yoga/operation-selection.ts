/** Selects the operation of a document as soon as it is parsed (GraphQL, 6.1). */
import { getOperationAST, type DocumentNode, type OperationTypeNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { mutationOverGet, unresolvedOperation } from '../errors.ts'

/** Entries of the context that determine the response format. */
export interface SelectedOperation {
  /** Absent until the document has been parsed; null if no operation could be selected. */
  operationType?: OperationTypeNode | null
  document?: DocumentNode | undefined
}

/** Yoga checks this later, with another code and status. */
export function useOperationSelection(): Plugin<SelectedOperation> {
  return {
    onParse:
      () =>
      ({ result, context, extendContext }) => {
        const operationName = context.params.operationName ?? null
        const operation = result instanceof Error ? null : getOperationAST(result as DocumentNode, operationName)
        // There is no request over a WebSocket.
        if (operation?.operation === 'mutation' && (context.request as Request | undefined)?.method === 'GET')
          throw mutationOverGet()
        extendContext({
          operationType: operation?.operation ?? null,
          document: result instanceof Error ? undefined : (result as DocumentNode),
        })
        if (operation == null && !(result instanceof Error)) throw unresolvedOperation(operationName)
      },
  }
}
