/** Errors for requests and documents, with code and status. */
import { GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import type {} from 'graphql-yoga'

/**
 * 400 in response mode; 200 in legacy mode, because the request itself is well-formed. Yoga reads `http` and removes it
 * from the response.
 */
export const REFUSED_DOCUMENT = { status: 400, spec: true }

/** The request itself is malformed: 400 in every mode. */
export function badRequest(message: string): GraphQLError {
  return refusal('BAD_REQUEST', message, { status: 400 })
}

export function unsupportedMediaType(mediaType: string): GraphQLError {
  const got = mediaType === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(mediaType.slice(0, 100))}`
  return refusal('UNSUPPORTED_MEDIA_TYPE', `got ${got} (expected application/json or application/graphql)`, {
    status: 415,
  })
}

export function csrfBlocked(headers: readonly string[]): GraphQLError {
  return refusal(
    'CSRF_BLOCKED',
    `a page of another origin could send this request (expected one of ${headers.join(', ')})`,
    {
      status: 400,
    },
  )
}

export function mutationOverGet(): GraphQLError {
  return refusal('METHOD_NOT_ALLOWED', 'mutations must be sent with POST', {
    status: 405,
    headers: { Allow: 'POST' },
  })
}

/** 200, with a code that tells the client to send the query as well. */
export function persistedQueryNotFound(): GraphQLError {
  return refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', { status: 200 })
}

export function persistedQueryMismatch(): GraphQLError {
  return refusal('PERSISTED_QUERY_HASH_MISMATCH', 'provided sha does not match query', { status: 400 })
}

export function persistedDocumentNotFound(id: string): GraphQLError {
  return refusal(
    'PERSISTED_DOCUMENT_NOT_FOUND',
    `no persisted document has the id ${JSON.stringify(id.slice(0, 100))}`,
    { status: 400 },
  )
}

export function persistedDocumentRequired(): GraphQLError {
  return refusal('PERSISTED_DOCUMENT_REQUIRED', 'only persisted documents can be executed', { status: 400 })
}

export function callbackNotAllowed(): GraphQLError {
  return refusal(
    'CALLBACK_NOT_ALLOWED',
    'callbackUrl must be at the address of the client, or at a host in notify.allow of svc.yaml',
    { status: 400 },
  )
}

export function callbackCheckFailed(): GraphQLError {
  return refusal('CALLBACK_CHECK_FAILED', 'callbackUrl did not answer the check with 204', { status: 500 })
}

export function tooManyCallbacks(): GraphQLError {
  return refusal('TOO_MANY_CALLBACKS', 'too many callback subscriptions are running', { status: 429 })
}

export function limitExceeded(code: string, message: string): GraphQLError {
  return refusal(code, message, REFUSED_DOCUMENT)
}

/** GetOperation (GraphQL, 6.1). */
export function unresolvedOperation(operationName: string | null): GraphQLError {
  const message =
    operationName === null
      ? 'the document must have exactly one operation, or operationName must name one'
      : `the document has no operation named ${JSON.stringify(operationName.slice(0, 100))}`
  return refusal('OPERATION_RESOLUTION_FAILURE', message, REFUSED_DOCUMENT)
}

export function subscriptionNotSupported(path: string): GraphQLError {
  return refusal(
    'SUBSCRIPTION_NOT_SUPPORTED',
    `subscriptions need a WebSocket at ${path}/ws, or a request with Accept: text/event-stream`,
    REFUSED_DOCUMENT,
  )
}

/** The error for a handshake that offers no supported subprotocol. */
export function subprotocolMissing(): GraphQLError {
  return refusal('BAD_REQUEST', 'Sec-WebSocket-Protocol must offer graphql-transport-ws or graphql-ws')
}

/** The error with `extensions.code`, unless it has one, and with the status of a rejected document. */
export function rejectedDocument(error: GraphQLError, code: string): GraphQLError {
  return withExtensions(error, { code, ...error.extensions, http: REFUSED_DOCUMENT })
}

/** The error as it is sent over a WebSocket, where there are no statuses. */
export function withoutStatus(error: GraphQLError): GraphQLError {
  return withExtensions(error, { ...error.extensions, http: undefined })
}

function refusal(code: string, message: string, http?: GraphQLErrorExtensions['http']): GraphQLError {
  return new GraphQLError(message, { extensions: http === undefined ? { code } : { code, http } })
}

function withExtensions(
  { message, nodes, source, positions, path, originalError }: GraphQLError,
  extensions: GraphQLErrorExtensions,
): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions })
}
