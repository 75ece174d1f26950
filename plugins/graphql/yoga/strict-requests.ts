/** Has Yoga read requests as strictly as GraphQL over HTTP demands, with one error code for all that is malformed. */
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { readGet, readPost } from '../http-request.ts'
import type { HttpOperationRequest } from '../http-request.ts'

/**
 * Yoga's own parsers answer 500 to variables that are not JSON, 200 or 400 by media type to a request without a query,
 * refuse members they do not know, and take forms.
 */
export function useStrictRequests(): Plugin {
  return {
    onRequestParse({ setRequestParser }) {
      setRequestParser(readRequest)
    },
  }
}

/** No async function: Yoga's requests hold bytes already, and what is there it goes on with in the same turn. */
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
