/** Response headers requested in a query: which may be set, and how the body lists them. */
import { quoteInput } from 'svc/plugin'
import { headerProblem } from 'svc/toolkit'
import { forbiddenHeader, invalidHeader, tooManyHeaders } from './errors.ts'

const MAX_HEADERS = 50

/** Values by lower-case name, in the requested order. */
export type RequestedHeaders = Map<string, string[]>

/** Reads name and value pairs; throws at the first that may not be set, before any is set. */
export function requestedHeaders(query: URLSearchParams): RequestedHeaders {
  if (query.size > MAX_HEADERS) throw tooManyHeaders(query.size, MAX_HEADERS)
  const headers: RequestedHeaders = new Map()
  for (const [name, value] of query) {
    const problem = headerProblem(name, value)
    if (problem === 'name') throw invalidHeader(`invalid header name ${quoteInput(name)} (expected a token)`)
    if (problem === 'reserved') throw forbiddenHeader(name)
    if (problem === 'value')
      throw invalidHeader(`invalid value of ${quoteInput(name)} (expected printable ASCII characters, spaces or tabs)`)
    const key = name.toLowerCase()
    const values = headers.get(key)
    if (values === undefined) headers.set(key, [value])
    else values.push(value)
  }
  return headers
}

/** The headers for the response body: a string, or a list if the name is repeated. */
export function showHeaders(headers: RequestedHeaders): Record<string, string | string[]> {
  const shown: Record<string, string | string[]> = Object.create(null)
  for (const [name, values] of headers) shown[name] = values.length === 1 ? values[0]! : values
  return shown
}
