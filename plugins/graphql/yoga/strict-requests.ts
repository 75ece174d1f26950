/** Makes Yoga parse requests strictly as GraphQL over HTTP requires, with one error code for malformed requests. */
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { readGet, readPost, type HttpOperationRequest } from '../http-request.ts'

/**
 * Yoga's own parsers respond with 500 to variables that are not JSON, with 200 or 400 depending on the media type to a
 * request without a query, reject unknown members, and accept forms.
 */
export function useStrictRequests(): Plugin {
  return {
    onRequestParse({ setRequestParser }) {
      setRequestParser(readRequest)
    },
  }
}

/** What a graph accepts besides single operations. */
export interface RequestOptions {
  /** Operations of a batch; 0: no batches. */
  batching: number
}

/** Not async: the body has already been read, so Yoga can continue synchronously. */
function readRequest(request: Request): GraphQLParams | Promise<GraphQLParams> {
  if (request.method !== 'POST') return toParams(readGet(new URL(request.url).searchParams))
  return request.arrayBuffer().then(bytes => toParams(readPost(request.headers.get('content-type'), bytes)))
}

function toParams({ query, variables, operationName, extensions }: HttpOperationRequest): GraphQLParams {
  return {
    query: query ?? undefined,
    variables: variables ?? undefined,
    operationName: operationName ?? undefined,
    extensions: extensions ?? undefined,
  }
}
