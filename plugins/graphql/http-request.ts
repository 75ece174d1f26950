/** Parses the GraphQL parameters of an HTTP request (GraphQL over HTTP, 4 to 5). */
import { badRequest, unsupportedMediaType } from './errors.ts'

/** A well-formed request; a persisted query has only a hash. */
export interface HttpOperationRequest {
  query: string | null
  variables: Record<string, unknown> | null
  operationName: string | null
  extensions: Record<string, unknown> | null
}

/** Reads a POST; `contentType` as sent. Throws a GraphQLError. */
export function readPost(contentType: string | null | undefined, body: ArrayBuffer | Uint8Array): HttpOperationRequest {
  const mediaType = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  switch (mediaType) {
    case 'application/json':
    case 'application/graphql+json':
      return readMembers(parseObject(decode(body)))
    case 'application/graphql':
      return checkQuery({ query: decode(body), variables: null, operationName: null, extensions: null })
    default:
      throw unsupportedMediaType(mediaType)
  }
}

/** Reads the parameters of a GET. Throws a GraphQLError. */
export function readGet(parameters: URLSearchParams): HttpOperationRequest {
  return checkQuery({
    query: parameters.get('query'),
    operationName: parameters.get('operationName'),
    variables: parseJsonParameter(parameters, 'variables'),
    extensions: parseJsonParameter(parameters, 'extensions'),
  })
}

function decode(body: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw badRequest('the body is not valid UTF-8')
  }
}

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') throw badRequest('the body is empty')
  const value = parseJson(text, 'the body')
  if (Array.isArray(value)) throw badRequest('Batched requests are not supported')
  if (!isObject(value)) throw badRequest('the body must be a JSON object')
  return value
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(`${what} is not valid JSON`)
  }
}

function readMembers({ query, variables, operationName, extensions }: Record<string, unknown>): HttpOperationRequest {
  return checkQuery({
    query: stringOrNull(query, 'query'),
    operationName: stringOrNull(operationName, 'operationName'),
    variables: objectOrNull(variables, 'variables'),
    extensions: objectOrNull(extensions, 'extensions'),
  })
}

function parseJsonParameter(parameters: URLSearchParams, name: string): Record<string, unknown> | null {
  const text = parameters.get(name)
  return text === null ? null : objectOrNull(parseJson(text, name), name)
}

function stringOrNull(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`)
  return value
}

function objectOrNull(value: unknown, name: string): Record<string, unknown> | null {
  if (value === undefined || value === null) return null
  if (!isObject(value)) throw badRequest(`${name} must be a JSON object`)
  return value
}

/** Only a persisted query may omit the text. */
function checkQuery(request: HttpOperationRequest): HttpOperationRequest {
  if (request.query === null && request.extensions?.persistedQuery != null) return request
  if (request.query === null || request.query.trim() === '') throw badRequest('query must be a non-blank string')
  return request
}

/** Whether the value is a JSON object, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
