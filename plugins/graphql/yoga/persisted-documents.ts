/** Documents that a request names by `documentId`, and whether others may run. */
import type { Plugin } from 'graphql-yoga'
import type { PersistedDocuments } from '../documents/persisted-documents.ts'
import type { OperationParams } from './strict-requests.ts'

/** The text of a request with both is the one that runs, as before there were persisted documents. */
export function usePersistedDocuments(documents: PersistedDocuments): Plugin {
  return {
    onParams({ params, setParams }) {
      const { query, documentId } = params as OperationParams
      if (query !== undefined) return documents.check(query)
      if (documentId === undefined) return undefined
      return documents.text(documentId).then(text => setParams({ ...params, query: text }))
    },
  }
}
