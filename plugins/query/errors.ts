/** Errors of the plugin `query`. */
import { HttpError } from 'svc/plugin'
import type { InputProblem } from 'svc/toolkit'

/** Media types of queries, as `Accept-Query` lists them (RFC 10008, 3). */
export const ACCEPT_QUERY = 'application/json, application/x-www-form-urlencoded'

/** Every answer to a QUERY depends on the type of its content, errors as well. */
const HEADERS = { 'Accept-Query': ACCEPT_QUERY, Vary: 'Content-Type' }

/** 400: without a media type, content can't be read (RFC 10008, 2). */
export function missingContentType(): HttpError {
  const details = `a QUERY needs a Content-Type: ${ACCEPT_QUERY.replace(', ', ' or ')}`
  return new HttpError(400, { error: 'missing_content_type', details }, HEADERS)
}

/** 415 with the media types that are supported. */
export function unsupportedQuery(type: string): HttpError {
  const details = `no queries of the type ${JSON.stringify(type.slice(0, 100))} (expected ${ACCEPT_QUERY.replace(', ', ' or ')})`
  return new HttpError(415, { error: 'unsupported_query', details }, HEADERS)
}

/** 422: the content has the type that it says, but is not a query. */
export function invalidQuery({ at, message, remedy }: InputProblem): HttpError {
  const body = { error: 'invalid_query', at, details: message, ...(remedy !== undefined && { remedy }) }
  return new HttpError(422, body, HEADERS)
}

/** 404 for an id that is not, or no longer, kept. */
export function unknownQuery(id: string, seconds: number): HttpError {
  return new HttpError(404, {
    error: 'unknown_query',
    details: `no query has the id ${JSON.stringify(id.slice(0, 100))}; queries are kept for ${seconds} s`,
  })
}
