/** Makes Yoga parse requests strictly as GraphQL over HTTP requires, with one error code for malformed requests. */
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { readGet, readPost, type HttpOperationRequest, type RequestOptions } from '../requests/http-request.ts'

/** The parameters of Yoga, and the id of a persisted document. */
export type OperationParams = GraphQLParams & { documentId?: string | undefined }

interface BatchContext {
  isBatch?: boolean
}

type RequestParser = (request: Request) => OperationParams | Promise<OperationParams | OperationParams[]>

/**
 * Yoga's own parsers respond with 500 to variables that are not JSON, with 200 or 400 depending on the media type to a
 * request without a query, reject unknown members, and accept forms.
 */
export function useStrictRequests(options: RequestOptions): Plugin {
  /** Not async: the body has already been read, so Yoga can continue synchronously. */
  function readRequest(request: Request, context: BatchContext): ReturnType<RequestParser> {
    if (request.method !== 'POST') return toParams(readGet(new URL(request.url).searchParams))
    return request.arrayBuffer().then(bytes => {
      const read = readPost(request.headers.get('content-type'), bytes, options)
      context.isBatch = Array.isArray(read)
      return Array.isArray(read) ? read.map(toParams) : toParams(read)
    })
  }
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      const read: RequestParser = request => readRequest(request, serverContext as BatchContext)
      setRequestParser(read as Parameters<typeof setRequestParser>[0])
    },
  }
}

function toParams({ query, variables, operationName, extensions, documentId }: HttpOperationRequest): OperationParams {
  return {
    query: query ?? undefined,
    variables: variables ?? undefined,
    operationName: operationName ?? undefined,
    extensions: extensions ?? undefined,
    documentId: documentId ?? undefined,
  }
}
