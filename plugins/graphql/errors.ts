/** Owns the refusals of requests that never become an operation, with status and code. */

/** A request that is not taken: answered as `{"errors":[{"message","extensions":{"code"}}]}`, never with `data`. */
export class RequestError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Record<string, string>
  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }

  get body(): object {
    return { errors: [{ message: this.message, extensions: { code: this.code } }] }
  }
}

/** 400 in every mode: the request itself is malformed. */
export function badRequest(message: string): RequestError {
  return new RequestError(400, 'BAD_REQUEST', message)
}

export function unsupportedMediaType(mediaType: string): RequestError {
  const got = mediaType === '' ? 'no Content-Type' : `Content-Type ${JSON.stringify(mediaType.slice(0, 100))}`
  return new RequestError(415, 'UNSUPPORTED_MEDIA_TYPE', `got ${got} (expected application/json or application/graphql)`)
}

export function mutationOverGet(): RequestError {
  return new RequestError(405, 'METHOD_NOT_ALLOWED', 'a mutation can only be sent with POST', { Allow: 'POST' })
}

/** 200: the client is expected to send the query along and is told so by the code. */
export function persistedQueryNotFound(): RequestError {
  return new RequestError(200, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
}

export function persistedQueryMismatch(): RequestError {
  return new RequestError(400, 'PERSISTED_QUERY_HASH_MISMATCH', 'provided sha does not match query')
}

/** The answer to a handshake that offers none of the subprotocols. */
export function subprotocolMissing(): RequestError {
  return badRequest('Sec-WebSocket-Protocol must offer graphql-transport-ws or graphql-ws')
}
