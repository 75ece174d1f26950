/** Parses the GraphQL parameters of an HTTP request (GraphQL over HTTP, 4 to 5). */
import { isRecord } from 'svc/toolkit'
import { badRequest, unsupportedMediaType } from '../errors.ts'
import { parseJson } from './json-text.ts'
import { readUploads } from './uploads.ts'

/** A well-formed request; a persisted query or document has no text. */
export interface HttpOperationRequest {
  query: string | null
  variables: Record<string, unknown> | null
  operationName: string | null
  extensions: Record<string, unknown> | null
  /** The id of a persisted document. */
  documentId: string | null
}

/** What a graph accepts besides single operations. */
export interface RequestOptions {
  /** Operations of a batch; 0: no batches. */
  batching: number
  /** Files of a request; 0: no files. */
  maxFiles: number
}

/** An operation, or a batch. */
export type HttpRequestBody = HttpOperationRequest | HttpOperationRequest[]

/** Reads a POST; `contentType` as sent. Throws a GraphQLError. */
export function readPost(
  contentType: string | null | undefined,
  body: ArrayBuffer | Uint8Array,
  options: RequestOptions,
): HttpRequestBody {
  const mediaType = mediaTypeOf(contentType)
  switch (mediaType) {
    case 'application/json':
    case 'application/graphql+json':
      return readOperations(parseText(decode(body)), options)
    case 'application/graphql': {
      const query = decode(body)
      return checkQuery({ query, variables: null, operationName: null, extensions: null, documentId: null })
    }
    case 'multipart/form-data':
      if (options.maxFiles > 0) return readOperations(readUploads(contentType!, body, options.maxFiles), options)
  }
  throw unsupportedMediaType(mediaType)
}

/** Reads the parameters of a GET. Throws a GraphQLError. */
export function readGet(parameters: URLSearchParams): HttpOperationRequest {
  return checkQuery({
    query: parameters.get('query'),
    operationName: parameters.get('operationName'),
    variables: parseJsonParameter(parameters, 'variables'),
    extensions: parseJsonParameter(parameters, 'extensions'),
    documentId: parameters.get('documentId'),
  })
}

/** The media type without parameters, in lower case. */
export function mediaTypeOf(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

function decode(body: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw badRequest('the body is not valid UTF-8')
  }
}

function parseText(text: string): unknown {
  if (text.trim() === '') throw badRequest('the body is empty')
  return parseJson(text, 'the body')
}

function readOperations(value: unknown, { batching }: RequestOptions): HttpRequestBody {
  if (Array.isArray(value)) {
    if (batching === 0) throw badRequest('Batched requests are not supported')
    if (value.length === 0 || value.length > batching)
      throw badRequest(`expected 1 to ${batching} operations in a batch, got ${value.length}`)
    return value.map((item, index) => {
      if (!isRecord(item)) throw badRequest(`operation ${index} of the batch must be a JSON object`)
      return readMembers(item)
    })
  }
  if (!isRecord(value)) throw badRequest('the body must be a JSON object')
  return readMembers(value)
}

function readMembers(members: Record<string, unknown>): HttpOperationRequest {
  return checkQuery({
    query: stringOrNull(members, 'query'),
    operationName: stringOrNull(members, 'operationName'),
    variables: objectOrNull(members.variables, 'variables'),
    extensions: objectOrNull(members.extensions, 'extensions'),
    documentId: stringOrNull(members, 'documentId'),
  })
}

function parseJsonParameter(parameters: URLSearchParams, name: string): Record<string, unknown> | null {
  const text = parameters.get(name)
  return text === null ? null : objectOrNull(parseJson(text, name), name)
}

function stringOrNull(members: Record<string, unknown>, name: string): string | null {
  const value = members[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw badRequest(`${name} must be a string`)
  return value
}

function objectOrNull(value: unknown, name: string): Record<string, unknown> | null {
  if (value === undefined || value === null) return null
  if (!isRecord(value)) throw badRequest(`${name} must be a JSON object`)
  return value
}

/** Only a persisted query or document may omit the text. */
function checkQuery(request: HttpOperationRequest): HttpOperationRequest {
  if (request.query === null && (request.documentId !== null || request.extensions?.persistedQuery != null))
    return request
  if (request.query === null || request.query.trim() === '') throw badRequest('query must be a non-blank string')
  return request
}
