/** Chooses the operation of a document as soon as it is read (GraphQL, 6.1). */
import { getOperationAST } from 'graphql'
import type { DocumentNode, OperationTypeNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { mutationOverGet, unresolvedOperation } from '../errors.ts'

/** Entries of the context that tell the form of an answer. */
export interface ChosenOperation {
  /** Absent while a request could still be refused as such; null when no operation could be chosen. */
  operationType?: OperationTypeNode | null
}

/** Yoga's own check comes later, and has neither the code nor the status of this one. */
export function useOperationChoice(): Plugin<ChosenOperation> {
  return {
    onParse:
      () =>
      ({ result, context, extendContext }) => {
        const operationName = context.params.operationName ?? null
        const operation = result instanceof Error ? null : getOperationAST(result as DocumentNode, operationName)
        // Over a WebSocket there is no request.
        if (operation?.operation === 'mutation' && (context.request as Request | undefined)?.method === 'GET')
          throw mutationOverGet()
        extendContext({ operationType: operation?.operation ?? null })
        if (operation == null && !(result instanceof Error)) throw unresolvedOperation(operationName)
      },
  }
}
